"""What a FlyDSL build is made of, read from a commit without checking it out."""

from __future__ import annotations

from flybisect.git.build_inputs import (
    BUILD,
    PATCHES,
    PATHS,
    PINS,
    Inputs,
    inputs_of,
    pin_in,
)
from flybisect.git.clone import Clone
from flybisect.git.command import GitFailed

_CONFIGURE = (":(glob)**/CMakeLists.txt", ":(glob)**/*.cmake", BUILD)


def build_inputs(clone: Clone, commit: str) -> Inputs:
    """Of `commit`, a full hash."""
    hashes = {entry.path: entry.hash for entry in clone.entries(commit, *PATHS)}
    patches = {entry.path: entry.hash for entry in clone.entries(commit, PATCHES)}
    return inputs_of(hashes, patches, _pin(clone, commit))


def _pin(clone: Clone, commit: str) -> str | None:
    for path in PINS:
        text = clone.text(commit, path)
        if text is not None:
            return pin_in(path, text)
    return None


def mentions(clone: Clone, commit: str, word: str) -> bool:
    """Whether CMake files or the build script of `commit` speak of `word`."""
    try:
        clone.run("grep", "--quiet", "--fixed-strings", "-e", word, commit, "--", *_CONFIGURE)
    except GitFailed:
        return False
    return True
