"""Which clone of FlyDSL is meant."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from flybisect.errors import UserError
from flybisect.git.build_inputs import PYTHON
from flybisect.git.command import GitFailed, NotYours
from flybisect.git.remote import mirror, update
from flybisect.git.repository import Repository
from flybisect.toolchain.store import Notify, built_once

_URL = re.compile(r"[a-z+]+://|[\w.-]+@[\w.-]+:")
CLONES = "clones"
"""Folder below the working folder."""


def locate(
    option: str | None, start: Path, default: Path | None, workdir: Path, notify: Notify
) -> Repository:
    """What `option` says (a path or a URL); else the FlyDSL clone around `start`, else `default`, else the
    clone that an earlier URL brought below `workdir`. Raises UserError where there is none."""
    if option is not None and _URL.match(option):
        return Repository(_cloned(option, workdir, notify))
    if option is not None:
        return Repository(Path(option).expanduser())
    around, refused = _around(start)
    if around is not None:
        return around
    if default is not None:
        return Repository(default)
    kept = sorted(path for path in (workdir / CLONES).glob("*") if path.is_dir())
    if kept:
        return Repository(kept[0])
    if refused is not None:
        raise refused
    raise UserError(
        "no clone of FlyDSL is known here; give one with --repo PATH, or let it be cloned with "
        "--repo https://github.com/ROCm/FlyDSL"
    )


def _around(start: Path) -> tuple[Repository | None, NotYours | None]:
    """The clone that `start` lies in, where it is one of FlyDSL; and why it may not be read."""
    try:
        found = Repository(start)
        return (found if found.blobs("HEAD", PYTHON) else None), None
    except NotYours as error:
        return None, error
    except (UserError, GitFailed):
        return None, None


def _cloned(url: str, workdir: Path, notify: Notify) -> Path:
    name = Path(re.sub(r"\.git/*$", "", url).rstrip("/").replace(":", "/")).name
    folder = workdir / CLONES / f"{name}-{hashlib.sha256(url.encode()).hexdigest()[:8]}"
    there = folder.is_dir()

    def clone(made: Path) -> None:
        notify(f"cloning {url}")
        mirror(url, made)

    try:
        built_once(folder, clone, notify)
        if there:
            update(folder)
    except GitFailed as error:
        if not there:
            raise UserError(f"{url} can't be cloned: {error}") from error
        notify(f"{url} can't be reached ({error}); the clone is used as it is")
    return folder
