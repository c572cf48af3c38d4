"""A clone of FlyDSL, where one is known."""

from __future__ import annotations

from pathlib import Path

from flybisect.case.case import load_defaults
from flybisect.errors import UserError
from flybisect.git.repository import Repository
from flybisect.toolchain.store import Notify
from flybisect.workflows.locate import locate


def known_clone(option: str | None, start: Path, workdir: Path, notify: Notify) -> Repository | None:
    """As `flybisect commits` finds it; None without one. Raises UserError where the option's is none."""
    default = load_defaults(start).repo
    if option is not None:
        return locate(option, start, default, workdir, notify)
    try:
        return locate(None, start, default, workdir, notify)
    except UserError:
        return None


def clone_or_none(option: str | None, start: Path, workdir: Path, notify: Notify) -> Repository | None:
    """The same; None where the option's is none, which was said where commits were searched."""
    try:
        return known_clone(option, start, workdir, notify)
    except UserError:
        return None
