"""What no limit of the kernel's bounds for a trial as a whole: the memory and the number of its processes."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

from . import processes
from .limits import PROCESSES

WATCH_SECONDS = 0.5
"""Between two looks. Most trials are over before the first."""

_PAGE = resource.getpagesize()


class Watch:
    """Of one trial, begun by its worker before the fork."""

    def __init__(self, memory: int) -> None:
        """`memory`: MiB that all processes of the trial together may add to what the worker has."""
        self._allowed = memory << 20
        self._inherited = own_bytes(os.getpid())
        self._next = time.monotonic() + WATCH_SECONDS

    def excess(self) -> str | None:
        """`memory` or `processes` where there is too much of them; None also where it is not time to look."""
        if time.monotonic() < self._next:
            return None
        found = processes.descendants(os.getpid())
        self._next = time.monotonic() + WATCH_SECONDS
        if len(found) > PROCESSES:
            return "processes"
        added = sum(max(0, own_bytes(pid) - self._inherited) for pid in found)
        return "memory" if added > self._allowed else None


def own_bytes(pid: int) -> int:
    """Resident memory that is no file's; 0 when the process is gone."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0
    return (int(fields[1]) - int(fields[2])) * _PAGE
