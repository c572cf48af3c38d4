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
from itertools import islice
from pathlib import Path

LARGEST = 64 << 20
"""Bytes of a file whose content is looked at; of a larger one size and time stand for it."""
ROOM = 256 << 20
"""Bytes of all whose content is looked at, of one trial."""
MISSING = ""
"""In place of a digest: there is no such file."""
MOST_READ = 2000
"""Files of one trial."""
MOST = 200
"""Files of a folder that is taken as a whole."""
LEFT_OUT = frozenset({"__pycache__", "workdirs", "node_modules"})

_BY_TIME = " bytes of "

Files = tuple[tuple[str, str], ...]
"""Names with the digests of what is in them."""


def digests(folder: Path | None, paths: Iterable[str]) -> Files:
    """Of absolute paths, sorted; of the first ones where a trial says that it read very many."""
    room, found = ROOM, []
    for name in sorted({_name(folder, path) for path in islice(paths, MOST_READ)}):
        facts = _facts(_path(folder, name))
        whole = facts is not None and facts.st_size <= min(LARGEST, room)
        room -= facts.st_size if facts is not None and whole else 0
        found.append((name, _digest(_path(folder, name), facts, whole)))
    return tuple(found)


def python_files(files: Files) -> tuple[str, ...]:
    """Names of the Python files in or below the script's folder that exist."""
    return tuple(
        name
        for name, digest in files
        if name.endswith(".py") and digest != MISSING and not Path(name).is_absolute()
    )


def unchanged(folder: Path | None, files: Files) -> bool:
    """True where all of them are as they were."""
    for name, digest in files:
        path = _path(folder, name)
        if _digest(path, _facts(path), _BY_TIME not in digest) != digest:
            return False
    return True


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
    if folder is None:
        return path
    starts = [f"{each}/" for each in (folder.absolute(), folder.resolve())]
    return next((path[len(start) :] for start in starts if path.startswith(start)), path)


def _path(folder: Path | None, name: str) -> Path:
    return Path(name) if folder is None else folder.absolute() / name


def _facts(path: Path) -> os.stat_result | None:
    """None for what is no regular file: what a trial names may be anything."""
    try:
        facts = path.stat()
    except (OSError, ValueError):
        return None
    return facts if stat.S_ISREG(facts.st_mode) else None


def _digest(path: Path, facts: os.stat_result | None, whole: bool) -> str:
    if facts is None:
        return MISSING
    if not whole:
        return f"{facts.st_size}{_BY_TIME}{facts.st_mtime_ns}"
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
