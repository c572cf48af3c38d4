"""Finding and ending everything that a trial started."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

PATIENCE = 10.0
"""Seconds after which processes that will not die (stuck in the kernel) are left behind."""


def end_descendants() -> None:
    """Kill and reap every descendant of this process, which must adopt orphans.

    Looks again until none is left, since a process can fork while it is being looked for.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        found = descendants(os.getpid())
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _reap()
        if not found or time.monotonic() > deadline:
            return
        time.sleep(0.002)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        return


def descendants(root: int) -> list[int]:
    """All that `root` started, and what they started, as far as `/proc` shows it."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            parent = _parent(entry)
            if parent is not None:
                children.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            found.append(child)
            waiting.append(child)
    return found


def _parent(process: Path) -> int | None:
    """The parent of the process whose folder in `/proc` is given, None when it is gone."""
    try:
        # The command's name stands in parentheses and may hold anything.
        fields = (process / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[1]) if len(fields) > 1 else None
