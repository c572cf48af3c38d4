"""Finding a trial's processes from outside: their numbers as they see them are no use there."""

from __future__ import annotations

import os
from pathlib import Path


def running(name: str) -> list[int]:
    """Those that call themselves so."""
    return [pid for pid, _, comm in _processes() if comm == name]


def named(name: str) -> str:
    """A statement of a script, by which its process calls itself so (PR_SET_NAME is 15)."""
    return f"import ctypes; ctypes.CDLL(None).prctl(15, {name.encode()!r}, 0, 0, 0)"


def workers() -> list[int]:
    """Worker processes of this one."""
    own = [pid for pid, parent, _ in _processes() if parent == os.getpid()]
    return [pid for pid in own if b"worker.py" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def _processes() -> list[tuple[int, int, str]]:
    """Number, parent's number and name of all that have not ended."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            stat = (process / "stat").read_text(errors="replace")
        except OSError:
            continue
        name, fields = stat.partition("(")[2].rpartition(")")[0], stat.rpartition(")")[2].split()
        if fields[0] != "Z":
            found.append((int(process.name), int(fields[1]), name))
    return found
