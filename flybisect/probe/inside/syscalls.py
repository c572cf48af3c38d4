"""seccomp: what a trial may not ask of the kernel (seccomp(2), `include/uapi/linux/seccomp.h`).

Landlock and a read-only view of the disk say where a trial writes; this closes what they do not reach:
sockets of every kind, other processes, file attributes, and calls that nobody needs to compile a kernel.
What is left of sockets are connected pairs, which reach nobody but their maker's own processes.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable, Mapping

from . import kernel

_NUMBERS: dict[str, tuple[int, int | None]] = {
    # name: (x86-64, AArch64); None where there is no such call
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    # The address stands in memory, where a filter does not see it; and descriptors that are on their way
    # to another process are counted nowhere.
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    # Larger buffers.
    "setsockopt": (54, 208),
    # A byte in a pipe would hold a page of 2 MiB that its process has given back.
    "vmsplice": (278, 75),
    "io_uring_setup": (425, 425),
    "io_setup": (206, 0),
    # Few of each for all processes of a user.
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "unshare": (272, 97),
    "process_mrelease": (448, 448),
    "open_tree_attr": (467, 467),
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
    # What outlives the process that made it, and what others made: a number is enough to reach it.
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
}
_ABSENT: dict[str, tuple[int, int | None]] = {
    # Memory that no bound on address space or file system sees; glibc and libffi do without.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    # Its flags are out of a filter's sight; glibc then takes `clone`.
    "clone3": (435, 435),
}
_ATTRIBUTES: dict[str, tuple[int, int | None]] = {
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
_CLONE, _UNSHARE, _IOCTL, _FCNTL, _FLOCK = (56, 220), (272, 97), (16, 29), (72, 25), (73, 32)
_SOCKETPAIR, _SENDTO = (53, 199), (44, 206)
_PRLIMIT, _SETPRIORITY, _IOPRIO_SET = (302, 261), (141, 140), (251, 30)
_OF_A_PROCESS: dict[str, tuple[int, int | None]] = {
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}
"""Their first argument is a process; 0 is the caller."""
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
_UNIX, _STREAM, _SOCKET_KINDS = 1, 1, 0xF
_THREAD, _FILES = 0x10000, 0x400
"""`CLONE_THREAD` and `CLONE_FILES`: a thread with descriptors of its own would hide them."""
_LOCKS = (6, 7, 37, 38)
"""`F_SETLK` and `F_SETLKW`, of processes and of open files."""
_FCNTLS = (8, 10, 15, 1024, 1026, 1031, 1040)
"""Signals to a process (`F_SETOWN`, `F_SETSIG`, `F_SETOWN_EX`), what makes others that open a file wait
(`F_SETLEASE`, `F_SETDELEG`), `F_NOTIFY`, and longer pipes (`F_SETPIPE_SZ`)."""
_USER_PRIORITY, _USER_IO_PRIORITY = 2, 3
_IOCTLS = (0x5401, 0x802C542A, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x40049409)
"""All that are allowed: is it a terminal, and how large (`TCGETS`, `TCGETS2`, `TIOCGPGRP`, `TIOCGWINSZ`);
`FIONREAD`, `FIONBIO`, `FIONCLEX`, `FIOCLEX`, `FICLONE`. Others change a file or a folder that was opened to
be read (attributes, encryption, verity, snapshots), or a device."""

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column of the tables, and the kernel's `AUDIT_ARCH_…`."""
_X32 = 0x40000000

_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
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
    yield from _of_files(column)
    yield from _of_sockets(column)
    alone_in_files = [_load(0), _step(_AND, _THREAD | _FILES), _step(_EQUAL, _THREAD, 0, 1)]
    namespaces = [_load(0), _step(_ANY_BIT, _NAMESPACES, 0, 1), _fail(errno.EPERM)]
    yield from _case(_CLONE[column], [*namespaces, *alone_in_files, _fail(errno.EPERM)])
    # Of itself only: 0. The worker's limits would be as good as anybody's.
    yield from _when(_PRLIMIT[column], 0, [_step(_EQUAL, 0, 1, 0)])
    if not alone:
        yield from _of_others(column)
    yield _step(_RETURN, _ALLOW)


def _of_files(column: int) -> Iterable[bytes]:
    """Locks are granted and not taken: one on a file of others, which reading is enough for, stops them."""
    yield from (_step(_EQUAL, _FLOCK[column], 0, 1), _fail(0))
    locks = [step for each in _LOCKS for step in (_step(_EQUAL, each, 0, 1), _fail(0))]
    others = [step for each in _FCNTLS for step in (_step(_EQUAL, each, 0, 1), _fail(errno.EPERM))]
    yield from _case(_FCNTL[column], [_load(1), *locks, *others])
    allowed = [step for each in _IOCTLS for step in (_step(_EQUAL, each, 0, 1), _step(_RETURN, _ALLOW))]
    yield from _case(_IOCTL[column], [_load(1), *allowed, _fail(errno.ENOTTY)])


def _of_sockets(column: int) -> Iterable[bytes]:
    """Connected pairs, over which nothing can be sent to an address."""
    family = [_load(0), _step(_EQUAL, _UNIX, 1, 0), _fail(errno.EPERM)]
    kind = [_load(1), _step(_AND, _SOCKET_KINDS), _step(_EQUAL, _STREAM, 1, 0), _fail(errno.EPERM)]
    yield from _case(_SOCKETPAIR[column], [*family, *kind])
    halves = (_load(4), _load(4, high=True))
    null = [step for half in halves for step in (half, _step(_EQUAL, 0, 1, 0), _fail(errno.EPERM))]
    yield from _case(_SENDTO[column], null)


def _of_others(column: int) -> Iterable[bytes]:
    """Priorities and the like, of this process only; with a user's, all that he runs have another one."""
    for number, user in ((_SETPRIORITY[column], _USER_PRIORITY), (_IOPRIO_SET[column], _USER_IO_PRIORITY)):
        everything = [_load(0), _step(_EQUAL, user, 0, 1), _fail(errno.EPERM)]
        yield from _case(number, [*everything, _load(1), _step(_EQUAL, 0, 1, 0), _fail(errno.EPERM)])
    for number in _numbers(_OF_A_PROCESS, column):
        yield from _when(number, 0, [_step(_EQUAL, 0, 1, 0)])


def _numbers(table: Mapping[str, tuple[int, int | None]], column: int) -> list[int]:
    return [number for pair in table.values() if (number := pair[column]) is not None]


def _when(number: int, argument: int, tests: list[bytes]) -> Iterable[bytes]:
    """Refuse the call where one of the `tests` of its argument (the low 32 bits) holds.

    A test is a step that leaves out the next one, the refusal, where it does not hold.
    """
    refusals = [step for test in tests for step in (test, _fail(errno.EPERM))]
    yield from _case(number, [_load(argument), *refusals])


def _case(number: int, body: list[bytes]) -> Iterable[bytes]:
    """What is done about one call; it is allowed where the `body` does not end it otherwise."""
    yield _step(_EQUAL, number, 0, len(body) + 1)
    yield from body
    yield _step(_RETURN, _ALLOW)


def _load(argument: int, *, high: bool = False) -> bytes:
    """32 bits of an argument (both machines have the low ones first)."""
    return _step(_LOAD, 16 + 8 * argument + (4 if high else 0))


def _fail(code: int) -> bytes:
    return _step(_RETURN, _ERRNO | code)


def _step(code: int, value: int, so: int = 0, otherwise: int = 0) -> bytes:
    """One instruction of classic BPF: how many to leave out where a test holds, and where it does not."""
    return struct.pack("=HBBI", code, so, otherwise, value)
