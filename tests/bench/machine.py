"""What figures depend on, without the machine's name."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path

from flybisect import __version__

BUSY = 0.5
"""Load average of one minute before a bench began, from which on its seconds say little."""


def machine() -> dict[str, str | float]:
    """Ask before a bench begins: `load` is what others do."""
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "flydsl": metadata.version("flydsl"),
        "flybisect": __version__,
        "load": round(os.getloadavg()[0], 2),
    }


def described(found: dict[str, str | float]) -> str:
    """In one line, with a warning where others were at work."""
    text = (
        f"{found['cpu']}, {found['cores']} cores, {found['memory_gib']} GiB, Python {found['python']}, "
        f"FlyDSL {found['flydsl']}, flybisect {found['flybisect']}"
    )
    busy = float(found["load"]) > BUSY
    return f"{text}; **under load** ({found['load']} at the start): seconds say little" if busy else text


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "unknown CPU")
