"""Calls into Linux that Python's standard library does not offer.

Numbers of calls that are the same on x86-64 and AArch64 (all that are younger than 2019), and flags, from
Linux `include/uapi/`.
"""

from __future__ import annotations

import ctypes
import os
import signal

_LIBC = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

NEW_MOUNTS = 0x00020000
NEW_HOST_NAME = 0x04000000
NEW_IPC = 0x08000000
NEW_USER = 0x10000000
NEW_PIDS = 0x20000000
NEW_NETWORK = 0x40000000
NEW_CGROUPS = 0x02000000
NEW_TIME = 0x00000080

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18

_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_MOUNT_SETATTR, _OPEN_TREE, _MOVE_MOUNT = 442, 428, 429
_OPEN_TREE_CLONE, _OPEN_TREE_CLOEXEC = 1, os.O_CLOEXEC
_MOVE_MOUNT_F_EMPTY_PATH = 4
_MOUNT_ATTR_RDONLY = 1


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


def syscall(number: int, *arguments: object) -> int:
    """Raises OSError with the kernel's errno."""
    return _checked(_LIBC.syscall(ctypes.c_long(number), *arguments))


def prctl(option: int, value: int) -> None:
    """Raises OSError with the kernel's errno."""
    zero = ctypes.c_ulong(0)
    _checked(_LIBC.prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero))


def unshare(flags: int) -> None:
    """Raises OSError where a namespace of one's own is not allowed."""
    _checked(_LIBC.unshare(ctypes.c_int(flags)))


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """Raises OSError with the kernel's errno."""
    arguments = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    options = ctypes.c_ulong(flags)
    _checked(_LIBC.mount(arguments[0], arguments[1], arguments[2], options, arguments[3]))


def make_read_only(target: str) -> None:
    """What is mounted at `target` and below it, for whoever shares this mount namespace."""
    attributes = _MountAttributes(set=_MOUNT_ATTR_RDONLY)
    syscall(
        _MOUNT_SETATTR,
        ctypes.c_int(_AT_FDCWD),
        ctypes.c_char_p(os.fsencode(target)),
        ctypes.c_uint(_AT_RECURSIVE),
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )


def held_tree(path: str) -> int:
    """A handle on the folder `path`, by which it can be mounted also where it is not seen any more."""
    return syscall(
        _OPEN_TREE,
        ctypes.c_int(_AT_FDCWD),
        ctypes.c_char_p(os.fsencode(path)),
        ctypes.c_uint(_OPEN_TREE_CLONE | _OPEN_TREE_CLOEXEC),
    )


def put_tree(handle: int, target: str) -> None:
    """Mount what `held_tree` gave."""
    syscall(
        _MOVE_MOUNT,
        ctypes.c_int(handle),
        ctypes.c_char_p(b""),
        ctypes.c_int(_AT_FDCWD),
        ctypes.c_char_p(os.fsencode(target)),
        ctypes.c_uint(_MOVE_MOUNT_F_EMPTY_PATH),
    )


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread that forked it ends."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that all can be found and ended."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
