"""Ending a process with all that it started, wherever that has gone (proc(5)).

A process group is not enough: ninja gives every compiler a group of its own.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")
ROUNDS = 200
"""More than anything needs that does not start processes faster than they are killed."""


def kill_all(session: int, mark: str) -> None:
    """Kills every process of `session`, and every one that has `mark` (`NAME=value`) in its environment.

    The second finds what left the session, the first what changed its environment. Repeated until
    none is left, since a process may start another between being seen and being killed.
    """
    for _ in range(ROUNDS):
        victims = [pid for pid in _processes() if _in_session(pid, session) or _has(pid, mark)]
        if not victims:
            return
        for pid in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        time.sleep(0.01)


def _processes() -> Iterator[int]:
    """The processes that still run; one that ended and was not waited for can't be killed again."""
    for entry in PROC.iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            yield int(entry.name)


def _in_session(pid: int, session: int) -> bool:
    try:
        # The name, in brackets, may hold blanks and brackets itself.
        state, _parent, _group, own, *_ = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):
        return False
    return state != "Z" and int(own) == session


def _has(pid: int, mark: str) -> bool:
    try:
        return mark.encode() in (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
