"""What a trial sees of the disk: all of it to read, and folders of its own to write (mount_namespaces(7)).

its folder    a file system in memory, bounded
/tmp          what is there, to read; what is written lands in the trial's own TMPDIR
/dev          null, zero, full, random, urandom, and a /dev/shm of its own
/proc         of the trial's own processes
sessions      nothing in it
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from . import kernel

DISK = 512
"""MiB that a trial may have on disk in all."""
SHARED = 256
"""MiB of /dev/shm."""
ENTRIES = 50_000
"""Files that a trial may have."""
SHM = "/dev/shm"
TMP = "/tmp"
OWN_TMP = "tmp"
"""Of the trial's folder."""
DEVICES = ("null", "zero", "full", "random", "urandom")

_SAFE = kernel.MS_NOSUID | kernel.MS_NODEV


def enter(folder: str, hidden: Iterable[str] = ()) -> list[str]:
    """Give this process a mount namespace of its own, and shape what it sees from now on.

    `folder`: the trial's own, empty. `hidden`: folders that it finds empty. Returns the folders that it can
    write. Raises OSError where the kernel refuses; the process is then not to be used further.
    """
    own_tmp = not _has_mounts_below(TMP)
    kernel.unshare(kernel.NEW_MOUNTS)
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.make_read_only("/")
    kernel.mount("proc", "/proc", "proc", _SAFE | kernel.MS_NOEXEC | kernel.MS_RDONLY)
    _private_devices(folder)
    writable = [folder, SHM, *_private_folders(folder, own_tmp)]
    for path in hidden:
        if Path(path).is_dir():
            kernel.mount("hidden", path, "tmpfs", _SAFE | kernel.MS_RDONLY, "size=4k,nr_inodes=2,mode=755")
    return writable


def _private_devices(folder: str) -> None:
    """Put together at `folder`, which is covered by what the trial gets there afterwards."""
    kernel.mount("dev", folder, "tmpfs", kernel.MS_NOSUID, "size=64k,mode=755")
    for name in DEVICES:
        if Path(f"/dev/{name}").exists():
            Path(f"{folder}/{name}").touch()
            kernel.mount(f"/dev/{name}", f"{folder}/{name}", None, kernel.MS_BIND)
    for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        Path(f"{folder}/{name}").symlink_to(f"/proc/self/{target}")
    Path(f"{folder}/shm").mkdir()
    kernel.mount("shm", f"{folder}/shm", "tmpfs", _SAFE, f"size={SHARED}m,nr_inodes={ENTRIES},mode=1777")
    kernel.mount(folder, "/dev", None, kernel.MS_BIND | kernel.MS_REC)


def _private_folders(folder: str, own_tmp: bool) -> list[str]:
    """The trial's folder, and /tmp over what is there. What of them can be written beside the folder."""
    kernel.mount("trial", folder, "tmpfs", _SAFE, f"size={DISK}m,nr_inodes={ENTRIES},mode=700")
    own, work = f"{folder}/own", f"{folder}/work"
    for path in (own, work, f"{own}/{OWN_TMP}"):
        Path(path).mkdir(0o700)
    tree = kernel.held_tree(own)
    try:
        if own_tmp:
            own_tmp = _overlay(TMP, f"{own}/{OWN_TMP}", work)
        # It may lie below /tmp, and is then not seen any more.
        kernel.put_tree(tree, folder)
    finally:
        os.close(tree)
    return [TMP] if own_tmp else []


def _overlay(lower: str, upper: str, work: str) -> bool:
    """False where the kernel has no such file system, or not for this user."""
    try:
        kernel.mount("tmp", lower, "overlay", _SAFE, f"lowerdir={lower},upperdir={upper},workdir={work}")
    except OSError:
        return False
    return True


def _has_mounts_below(folder: str) -> bool:
    """They would not be seen in an overlay (proc(5): the fifth field is where something is mounted)."""
    lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    return any(line.split(" ")[4].startswith(folder + "/") for line in lines)
