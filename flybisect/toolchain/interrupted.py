"""A build folder that a kill left in the middle of a build is not gone on with where that is not safe."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def building_in(folder: Path, mark: Path) -> Iterator[None]:
    """Around a build in `folder`, during which the file `mark` is there.

    To leave it by an exception says that the build was cut off, as a kill does.

    A compiler that is killed leaves half an object file. ninja makes it anew, since it has no record
    of its end; make takes it for whole, so there the folder starts empty.
    """
    if mark.exists() and not _by_ninja(folder):
        shutil.rmtree(folder, ignore_errors=True)
    mark.touch()
    yield
    mark.unlink()


def _by_ninja(folder: Path) -> bool:
    try:
        cache = (folder / "CMakeCache.txt").read_text("utf-8", "replace")
    except OSError:
        return False
    return re.search(r"^CMAKE_GENERATOR:INTERNAL=Ninja", cache, re.MULTILINE) is not None
