"""What lies in a working folder, how much room it takes, and taking it away."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flybisect.session.listing import SESSIONS

FOLDERS = (SESSIONS, "toolchains", "clones", "source")
LENT = {"flydsl-": "overlay-", "natives-": "source-"}
"""What links into what: a release's overlays go with it, and builds with their natives."""


@dataclass(frozen=True)
class StoredFolder:
    """A folder that can be made again, or is a session."""

    path: Path
    kind: str
    """The folder that it lies in, as `sessions`."""
    size: int
    """Bytes on disk; what has several names counts once."""
    busy: bool = False
    """A run is at work in it."""

    @property
    def name(self) -> str:
        return f"{self.kind}/{self.path.name}"


def stored_folders(workdir: Path) -> list[StoredFolder]:
    """Sessions first, each kind by name."""
    return list(_items(workdir))


def select_folders(found: list[StoredFolder], names: list[str]) -> tuple[list[StoredFolder], list[str]]:
    """Those whose name one of `names` is or begins (with the kind or without), and names that fit none.

    With a release go the overlays that link into it. Without names: all.
    """
    if not names:
        return found, []
    fitting = {name: [item for item in found if _fits(item, name)] for name in names}
    wanted = {item.path for listed in fitting.values() for item in listed}
    wanted |= {item.path for item in found for other in wanted if _lent(other, item.path)}
    return [item for item in found if item.path in wanted], [name for name in names if not fitting[name]]


def remove(item: StoredFolder) -> None:
    """With the log and the lock that lie beside it. Raises OSError."""
    shutil.rmtree(item.path)
    for beside in (f"{item.path.name}.log", f".{item.path.name}.lock"):
        item.path.with_name(beside).unlink(missing_ok=True)


def size_of(folder: Path) -> int:
    """Bytes on disk; links are not followed."""
    seen: set[tuple[int, int]] = set()
    total = 0
    for root, _, files in os.walk(folder):
        for name in files:
            try:
                facts = Path(root, name).lstat()
            except OSError:
                continue
            if (facts.st_dev, facts.st_ino) not in seen:
                seen.add((facts.st_dev, facts.st_ino))
                total += facts.st_blocks * 512
    return total


def format_size(size: int) -> str:
    """`12 KiB`, `3.4 GiB`."""
    value = float(size)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


def _items(workdir: Path) -> Iterator[StoredFolder]:
    for kind in FOLDERS:
        for path in sorted((workdir / kind).glob("*")):
            if path.is_dir() and not path.is_symlink():
                yield StoredFolder(path, kind, size_of(path), kind == SESSIONS and _busy(path))


def _fits(item: StoredFolder, name: str) -> bool:
    return item.path.name.startswith(name) or item.name.startswith(name)


def _lent(owner: Path, path: Path) -> bool:
    """Whether `path` links into `owner`."""
    for lender, borrower in LENT.items():
        if owner.name.startswith(lender) and path.name.startswith(borrower):
            return any(link.resolve().is_relative_to(owner.resolve()) for link in _links(path))
    return False


def _links(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(root, name)
            if path.is_symlink():
                yield path


def _busy(session: Path) -> bool:
    try:
        with (session / "lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
