"""What root may do beyond its own files, given up for good (capabilities(7))."""

from __future__ import annotations

import ctypes
import os

from . import kernel

READ_EVERYTHING = 2
"""CAP_DAC_READ_SEARCH. Kept, since packages and scripts may lie in a folder that is closed to root alone;
what it could be misused for, `open_by_handle_at`, is refused (see `syscalls`)."""

_VERSION_3 = 0x20080522
_LIBC = ctypes.CDLL(None, use_errno=True)


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Set(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]


def give_up() -> None:
    """This process, and what it starts, has no capability from now on but to read. Raises OSError."""
    header = _Header(version=_VERSION_3, pid=0)
    sets = (_Set * 2)()
    _call("capget", header, sets)
    kept = sets[0].permitted & (1 << READ_EVERYTHING)
    for number in range(64):
        if number != READ_EVERYTHING:
            _drop_from_bound(number)
    _clear_ambient()
    sets[0] = _Set(effective=kept, permitted=kept, inheritable=0)
    sets[1] = _Set(effective=0, permitted=0, inheritable=0)
    _call("capset", header, sets)


def _call(name: str, header: _Header, sets: ctypes.Array[_Set]) -> None:
    if getattr(_LIBC, name)(ctypes.byref(header), ctypes.byref(sets)) != 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def _drop_from_bound(number: int) -> None:
    try:
        kernel.prctl(kernel.PR_CAPBSET_DROP, number)
    except OSError:
        return  # no such capability, or none to begin with


def _clear_ambient() -> None:
    try:
        kernel.prctl(kernel.PR_CAP_AMBIENT, kernel.PR_CAP_AMBIENT_CLEAR_ALL)
    except OSError:
        return
