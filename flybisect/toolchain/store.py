"""A folder that is made once, whole or not at all, however many processes want it at the same time."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Notify = Callable[[str], None]
"""Takes one line that a person may want to see while they wait."""


def silent(_line: str) -> None:
    """A `Notify` that drops its lines."""


def built_once(folder: Path, build: Callable[[Path], None], notify: Notify = silent) -> Path:
    """`folder`, made by `build` unless it is there already.

    `build` fills an empty folder that lies beside `folder` and is renamed to it at the end, so a
    build that was killed leaves no `folder`. Of two processes one builds and the other waits. What
    `build` raises comes through, and nothing of what it made is left.
    """
    if folder.is_dir():
        return folder
    with locked(folder, notify):
        if folder.is_dir():
            return folder
        _sweep(folder)
        made = folder.parent / f".{folder.name}.partial-{os.getpid()}"
        made.mkdir()
        try:
            build(made)
            made.rename(folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return folder


@contextmanager
def locked(folder: Path, notify: Notify = silent) -> Iterator[int]:
    """Alone with `folder`, which need not exist, among all threads and processes that ask this way.

    The kernel gives the lock back when its holder dies, so there is no stale lock to clear. The file
    descriptor that is yielded carries the lock: a process that inherits it holds the lock as well.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            notify(f"waiting for another process that makes {folder.name}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle.fileno()


def _sweep(folder: Path) -> None:
    """Removes what killed builds left. Only the holder of the lock makes such folders."""
    for left in folder.parent.glob(f".{folder.name}.partial-*"):
        shutil.rmtree(left, ignore_errors=True)
