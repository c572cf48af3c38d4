"""What a trial read beside its script, by content: an observation holds as long as those files are the same.

Names are from the script's folder where a file lies below it, so that they hold where the folder was shipped
to, and absolute elsewhere.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

LARGEST = 64 << 20
"""Bytes of a file that is read; of a larger one size and time stand for its content."""
MISSING = ""
"""In place of a digest: there is no such file."""
MOST = 200
"""Files of a folder that is taken as a whole."""
LEFT_OUT = frozenset({"__pycache__", "workdirs", "node_modules"})

Files = tuple[tuple[str, str], ...]
"""Names with the digests of what is in them."""


def digests(folder: Path | None, paths: Iterable[str]) -> Files:
    """Of absolute paths, sorted."""
    names = {_name(folder, path) for path in paths}
    return tuple((name, _digest(_path(folder, name))) for name in sorted(names))


def unchanged(folder: Path | None, files: Files) -> bool:
    """True where all of them are as they were."""
    return all(_digest(_path(folder, name)) == digest for name, digest in files)


def everything(folder: Path) -> list[str]:
    """The files below a folder, for what reads them unseen; the first ones where there are many."""
    found = []
    for path in _files(folder):
        found.append(str(path))
        if len(found) == MOST:
            break
    return found


def _files(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir(), key=lambda path: (path.is_dir(), path.name))
    except OSError:
        return
    for path in entries:
        if path.name.startswith(".") or path.name in LEFT_OUT or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path


def _name(folder: Path | None, path: str) -> str:
    start = "" if folder is None else f"{folder.absolute()}/"
    return path[len(start) :] if start and path.startswith(start) else path


def _path(folder: Path | None, name: str) -> Path:
    return Path(name) if folder is None else folder.absolute() / name


def _digest(path: Path) -> str:
    """Nothing but regular files is read: what a trial names may be anything."""
    try:
        facts = path.stat()
    except (OSError, ValueError):
        return MISSING
    if not stat.S_ISREG(facts.st_mode):
        return MISSING
    if facts.st_size > LARGEST:
        return f"{facts.st_size} bytes of {facts.st_mtime_ns}"
    return _content(path, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)


@lru_cache(maxsize=4096)
def _content(path: Path, number: int, size: int, changed: int, touched: int) -> str:
    """Read again only where the file's own facts differ."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            return hashlib.sha256(file.read(size)).hexdigest()
    except OSError:
        return MISSING
