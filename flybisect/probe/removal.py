"""Removing what a trial left, however it is built.

`shutil.rmtree` goes down by recursion up to Python 3.12, and by paths that the kernel does not take when
they are long: a script that makes a folder in a folder, a hundred thousand times, would stay.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

MARK = ".flybisect-"
FAR = 400
"""Characters of a path below the folder."""


def remove(folder: Path) -> None:
    """With all that is in it, as far as it can be. A folder far down is moved to the top, so that no path
    gets long."""
    if folder.is_symlink() or not folder.is_dir():
        return
    numbers = count()
    waiting, seen = [str(folder)], []
    while waiting:
        current = waiting.pop()
        seen.append(current)
        for name in _entries(current):
            path = f"{current}/{name}"
            if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114 - a million of them
                far = len(path) > len(str(folder)) + FAR
                waiting.append(_moved(path, f"{folder}/{MARK}{next(numbers)}") if far else path)
            else:
                _without(os.unlink, path)
    for emptied in reversed(seen):
        _without(os.rmdir, emptied)


def _entries(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208
    except PermissionError:
        _open(folder)
    except OSError:
        return []
    try:
        return os.listdir(folder)  # noqa: PTH208
    except OSError:
        return []


def _open(folder: str) -> None:
    try:
        os.chmod(folder, 0o700)  # noqa: PTH101
    except OSError:
        return


def _moved(path: str, place: str) -> str:
    try:
        os.rename(path, place)  # noqa: PTH104
    except OSError:
        return path
    return place


def _without(action: Callable[[str], None], path: str) -> None:
    try:
        action(path)
    except OSError:
        return
