"""seccomp: what a trial may not ask of the kernel (seccomp(2), `include/uapi/linux/seccomp.h`).

Landlock and a read-only view of the disk say where a trial writes; this closes what they do not reach:
sockets of every kind, other processes, file attributes, and calls that nobody needs to compile a kernel.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable

from . import kernel

_NUMBERS = {
    # name: (x86-64, AArch64); None where there is no such call
    "socket": (41, 198),
    "io_uring_setup": (425, 425),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    # What outlives the process that made it.
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
}
_ABSENT = {
    # Memory that no bound on address space or file system sees; glibc and libffi do without.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    # Its flags are out of a filter's sight; glibc then takes `clone`.
    "clone3": (435, 435),
}
_ATTRIBUTES = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
"""Of files anywhere: refused where the disk is not read-only, since Landlock has no say in them."""
_CLONE, _UNSHARE, _IOCTL = (56, 220), (272, 97), (16, 29)
_PRLIMIT, _SETPRIORITY, _SETAFFINITY = (302, 261), (141, 140), (203, 122)
_SECCOMP = (317, 277)

_NAMESPACES = (
    kernel.NEW_MOUNTS
    | kernel.NEW_HOST_NAME
    | kernel.NEW_IPC
    | kernel.NEW_USER
    | kernel.NEW_PIDS
    | kernel.NEW_NETWORK
    | kernel.NEW_CGROUPS
)
_SETFLAGS = (0x40086602, 0x40046602, 0x401C5820)
"""`FS_IOC_SETFLAGS` (64 and 32 bits) and `FS_IOC_FSSETXATTR`."""

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column of the tables, and the kernel's `AUDIT_ARCH_…`."""
_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_SET_FILTER, _SPEC_ALLOW = 1, 4


def available() -> bool:
    """True where this machine has filters and its calls' numbers are known here."""
    if platform.machine() not in _MACHINES or os.uname().machine != platform.machine():
        return False
    try:
        # Without a program: EFAULT where the kernel knows filters.
        _install(None)
    except OSError as error:
        return error.errno == errno.EFAULT
    return False


def refuse(*, alone: bool, read_only: bool) -> None:
    """From now on, for this process and what it starts. Raises OSError.

    `alone`: no other process is in sight. `read_only`: the disk is, but for the trial's own folders.
    """
    code = b"".join(_program(alone=alone, read_only=read_only))
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(length=len(code) // 8, code=ctypes.addressof(buffer))
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    _install(program)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


def _install(program: _Program | None) -> None:
    column, _ = _MACHINES[platform.machine()]
    pointer = None if program is None else ctypes.byref(program)
    kernel.syscall(_SECCOMP[column], ctypes.c_uint(_SET_FILTER), ctypes.c_uint(_SPEC_ALLOW), pointer)


def _program(*, alone: bool, read_only: bool) -> Iterable[bytes]:
    column, audit = _MACHINES[platform.machine()]
    yield _step(_LOAD, 4)
    yield from (_step(_EQUAL, audit, 1, 0), _fail(errno.ENOSYS))
    yield _step(_LOAD, 0)
    if platform.machine() == "x86_64":
        yield from (_step(_AT_LEAST, _X32, 0, 1), _fail(errno.ENOSYS))
    for number in _numbers(_ABSENT, column):
        yield from (_step(_EQUAL, number, 0, 1), _fail(errno.ENOSYS))
    refused = _NUMBERS if read_only else {**_NUMBERS, **_ATTRIBUTES}
    for number in _numbers(refused, column):
        yield from (_step(_EQUAL, number, 0, 1), _fail(errno.EPERM))
    yield from _when(_CLONE[column], 0, [_step(_ANY_BIT, _NAMESPACES, 0, 1)])
    yield from _when(_UNSHARE[column], 0, [_step(_ANY_BIT, _NAMESPACES, 0, 1)])
    # Of itself only: 0. The worker's limits would be as good as anybody's.
    yield from _when(_PRLIMIT[column], 0, [_step(_EQUAL, 0, 1, 0)])
    if not read_only:
        yield from _when(_IOCTL[column], 1, [_step(_EQUAL, each, 0, 1) for each in _SETFLAGS])
    if not alone:
        yield from _when(_SETPRIORITY[column], 1, [_step(_EQUAL, 0, 1, 0)])
        yield from _when(_SETAFFINITY[column], 0, [_step(_EQUAL, 0, 1, 0)])
    yield _step(_RETURN, _ALLOW)


def _numbers(table: dict[str, tuple[int, int]] | dict[str, tuple[int, int | None]], column: int) -> list[int]:
    return [number for pair in table.values() if (number := pair[column]) is not None]


def _when(number: int, argument: int, tests: list[bytes]) -> Iterable[bytes]:
    """Refuse the call where one of the `tests` of its argument (the low 32 bits) holds.

    A test is a step that leaves out the next one, the refusal, where it does not hold.
    """
    body = [_step(_LOAD, 16 + 8 * argument)]
    for test in tests:
        body += [test, _fail(errno.EPERM)]
    body.append(_step(_RETURN, _ALLOW))
    yield _step(_EQUAL, number, 0, len(body))
    yield from body


def _fail(code: int) -> bytes:
    return _step(_RETURN, _ERRNO | code)


def _step(code: int, value: int, so: int = 0, otherwise: int = 0) -> bytes:
    """One instruction of classic BPF: how many to leave out where a test holds, and where it does not."""
    return struct.pack("=HBBI", code, so, otherwise, value)
