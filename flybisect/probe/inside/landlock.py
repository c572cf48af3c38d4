"""Landlock: a trial writes only below its own folder, opens no TCP connection, signals nobody outside.

Numbers from Linux `include/uapi/linux/landlock.h`; rights by ABI version from
`Documentation/userspace-api/landlock.rst`.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

from . import kernel

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1

_WRITE_FILE, _READ_FILE = 1 << 1, 1 << 2
_FOLDER_WRITES = sum(1 << bit for bit in range(4, 13))
"""Remove and make entries: REMOVE_DIR … MAKE_SYM."""
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FILE_RIGHTS = _WRITE_FILE | _TRUNCATE | _IOCTL_DEV
_BIND_TCP, _CONNECT_TCP = 1, 2
_SCOPE_ABSTRACT_SOCKET, _SCOPE_SIGNAL = 1, 2

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


class _Ruleset(ctypes.Structure):
    _fields_ = [
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    ]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


def abi() -> int:
    """The kernel's Landlock version; 0 where it has none or it is switched off."""
    try:
        return kernel.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG))
    except OSError:
        return 0


def reading(hidden: Iterable[str]) -> int | None:
    """A ruleset by which all files can be read but those below the folders `hidden`, and devices.

    For `confine`, of as many processes as there will be; None where there is no Landlock. Landlock can allow
    and not take away again: what is beside a hidden folder is allowed, so what is made there later is not.
    """
    version = abi()
    if version == 0:
        return None
    rights = _READ_FILE | (_REFER if version >= 2 else 0)
    ruleset = _created(_Ruleset(handled_access_fs=rights), 8)
    left_out = {os.path.realpath(each) for each in (*hidden, "/dev")}
    above = {str(parent) for each in left_out for parent in Path(each).parents}
    for folder in sorted(above - left_out):
        for entry in _entries(folder):
            if entry not in left_out and entry not in above:
                with contextlib.suppress(OSError):
                    _allow(ruleset, entry, rights if Path(entry).is_dir() else _READ_FILE, links=False)
    for device in DEVICES:
        if Path(device).exists():
            _allow(ruleset, device, _READ_FILE)
    return ruleset


def _entries(folder: str) -> list[str]:
    try:
        return [entry.path for entry in os.scandir(folder) if not entry.is_symlink()]
    except OSError:
        return []


def confine(writable: Iterable[str], reading: int | None = None) -> int:
    """Confine this process and its descendants for good; the ABI that holds, 0 where there is none.

    `writable`: folders below which everything may be written. `reading`: a ruleset of that name. Raises
    OSError where the kernel has Landlock and refuses.
    """
    version = abi()
    if version == 0:
        return 0
    rights = _filesystem_rights(version)
    ruleset = _create(version, rights)
    try:
        for folder in writable:
            _allow(ruleset, folder, rights)
        for device in DEVICES:
            if Path(device).exists():
                _allow(ruleset, device, rights & _FILE_RIGHTS)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
        if reading is not None:
            kernel.syscall(_RESTRICT_SELF, ctypes.c_int(reading), ctypes.c_uint32(0))
            os.close(reading)
    finally:
        os.close(ruleset)
    return version


def _filesystem_rights(version: int) -> int:
    rights = _WRITE_FILE | _FOLDER_WRITES
    if version >= 2:
        rights |= _REFER
    if version >= 3:
        rights |= _TRUNCATE
    if version >= 5:
        rights |= _IOCTL_DEV
    return rights


def _create(version: int, rights: int) -> int:
    ruleset = _Ruleset(handled_access_fs=rights)
    size = 8
    if version >= 4:
        ruleset.handled_access_net = _BIND_TCP | _CONNECT_TCP
        size = 16
    if version >= 6:
        ruleset.scoped = _SCOPE_ABSTRACT_SOCKET | _SCOPE_SIGNAL
        size = 24
    return _created(ruleset, size)


def _created(ruleset: _Ruleset, size: int) -> int:
    return kernel.syscall(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), ctypes.c_uint32(0))


def _allow(ruleset: int, path: str, rights: int, *, links: bool = True) -> None:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC | (0 if links else os.O_NOFOLLOW))
    try:
        rule = _PathBeneath(allowed_access=rights, parent_fd=handle)
        kernel.syscall(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_RULE_PATH_BENEATH),
            ctypes.byref(rule),
            ctypes.c_uint32(0),
        )
    finally:
        os.close(handle)
