"""All that confines a trial, joined: what of it this machine has is found out once, before the first one.

Each means stands alone, and where one is missing the next one closes what it can:

    namespaces    no network; no other process in sight; all that a trial left ends at once
    mounts        the disk is read-only, and /tmp, /dev, /dev/shm and /proc are the trial's own; no sessions
    Landlock      writes only below its own folders; no sessions, no devices; no TCP; no signals to others
    seccomp       no sockets but pairs; no locks; no other process's memory or limits; file attributes; what
                  nobody needs
    capabilities  root is nobody special
    limits        address space, CPU, file size, open files; and, watched, memory and processes in all
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import capabilities, landlock, limits, mounts, namespaces, syscalls

_HAS, _HAS_OWN_TMP = 0, 3
_TRYING_FAILED = 70


@dataclass(frozen=True)
class Means:
    """What this machine has."""

    namespaces: bool
    """With them, mounts too."""
    own_tmp: bool
    """What is written to /tmp lands in the trial's own folder, in place of being refused."""
    landlock: int
    """Its version; 0 where there is none."""
    seccomp: bool


def examine(folder: str) -> Means:
    """Try them out in a process that ends then. `folder`: an empty one.

    To be called by a process without further threads, before it has anything to lose.
    """
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(_tried(folder))
        finally:
            os._exit(_TRYING_FAILED)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return Means(
        namespaces=code in (_HAS, _HAS_OWN_TMP),
        own_tmp=code == _HAS_OWN_TMP,
        landlock=landlock.abi(),
        seccomp=syscalls.available(),
    )


def _tried(folder: str) -> int:
    try:
        made = namespaces.enter()
        inner = os.fork()
        if inner == 0:
            try:
                os._exit(_HAS_OWN_TMP if mounts.TMP in mounts.enter(folder) else _HAS)
            except OSError:
                os._exit(_TRYING_FAILED)
        code = os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1])
        made.end_all()
        made.close()
        return code
    except OSError:
        return _TRYING_FAILED


class Sandbox:
    """A worker's; made before it starts a thread or a process."""

    def __init__(self, means: Means, hidden: Iterable[str] = ()) -> None:
        """`hidden`: folders that trials have no business with.

        Raises OSError where what was there when it was tried is not there now.
        """
        self.means = means
        self._hidden = tuple(map(os.path.realpath, hidden))
        self._namespaces = namespaces.enter() if means.namespaces else None
        self._reading = None if means.namespaces else landlock.reading(self._hidden)

    @property
    def memory_folders(self) -> tuple[str, ...]:
        """Beside its own: file systems in memory that a trial can write, as it sees them."""
        return (mounts.SHM,) if self._namespaces is not None else ()

    def end_all(self) -> bool:
        """End what a trial left behind; False where it has to be looked for."""
        if self._namespaces is None:
            return False
        self._namespaces.end_all()
        return True

    def shape(self, folder: str) -> list[str]:
        """In a trial, first of all: what it sees of the disk. What it may write of it. Raises OSError."""
        _first_to_go()
        if self._namespaces is None:
            return [folder]
        self._namespaces.leave_to_child()
        return mounts.enter(folder, [each for each in self._hidden if not _holds(each, folder)])

    def lock(self, writable: list[str], memory: int, timeout: float) -> dict[str, Any]:
        """In a trial, last of all before the script: for good. What holds, for the record. Raises OSError."""
        inside = self._namespaces is not None
        bound = limits.apply(memory, timeout, counted_alone=inside)
        version = landlock.confine(writable, self._reading)
        capabilities.give_up()
        if self.means.seccomp:
            syscalls.refuse(alone=inside, read_only=inside)
        return {"address_space": bound, "landlock": version, "inside": inside}


def _holds(folder: str, path: str) -> bool:
    return os.path.commonpath([folder, os.path.realpath(path)]) == folder


def _first_to_go() -> None:
    """Where the machine runs out of memory, a trial ends before anything else."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("800")
