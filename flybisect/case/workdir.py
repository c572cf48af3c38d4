"""Where sessions, installed toolchains and caches live, when the command line does not say."""

from __future__ import annotations

import os
from pathlib import Path

from flybisect.case.case import load_defaults

SESSIONS = "sessions"
"""Its folder of sessions."""


def default_workdir(start: Path) -> Path:
    """Absolute. What the nearest `flybisect.yaml` at or above the folder `start` says; else `workdirs/`
    of the checkout that this package runs from; else a folder in the user's cache."""
    given = load_defaults(start).workdir
    if given is not None:
        return given.absolute()
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file() and (checkout / "workdirs").is_dir():
        return checkout / "workdirs"
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if Path(cache).is_absolute() else Path.home() / ".cache") / "flybisect"
