"""Files of a commit, written from git's objects: no checkout, so no filter, hook or attribute has a say.

The objects may be anybody's. Each is checked against its hash, since folders are kept under the hash of
what they hold; names and links that lead out of the folder are refused, and so is what is far too large.
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from flybisect.git.command import GitFailed

MOST_FILES = 10_000
MOST_BYTES = 1 << 30

TREE, LINK, PROGRAM, SUBMODULE = "40000", "120000", "100755", "160000"
"""Modes of an entry (gitformat-index(5))."""

Read = Callable[[str, str, int], bytes]
"""Content of the object with a hash, of a kind, and of at most so many bytes. Raises GitFailed."""


class Unusable(GitFailed):
    """A commit whose files can't be written."""


@dataclass(frozen=True)
class _Entry:
    mode: str
    hash: str
    path: PurePosixPath


def write_tree(read: Read, tree: str, folder: Path) -> None:
    """Writes the files of `tree`, a hash, to the new `folder`. Raises Unusable, and GitFailed where an
    object is missing."""
    folder.mkdir(parents=True)
    left = MOST_BYTES
    blobs: list[_Entry] = []
    trees = deque([_Entry(TREE, tree, PurePosixPath())])
    count = 0
    while trees:
        parent = trees.popleft()
        content = _checked(read, parent, "tree", left)
        left -= len(content)
        for entry in _entries(content, parent):
            count += 1
            if count > MOST_FILES:
                raise Unusable(f"the tree {tree[:12]} holds more than {MOST_FILES} files")
            if entry.mode in (TREE, SUBMODULE):
                _make(folder / entry.path)
            if entry.mode != SUBMODULE:
                (trees if entry.mode == TREE else blobs).append(entry)
    for entry in blobs:
        content = _checked(read, entry, "blob", left)
        left -= len(content)
        _write(folder / entry.path, entry, content)


def usable_path(path: str) -> bool:
    """Whether a path of a tree stays below where the tree is written, and is none of git's own."""
    parts = path.split("/")
    return all(part not in ("", ".", "..") and part.lower() != ".git" for part in parts) and "\0" not in path


def _checked(read: Read, entry: _Entry, kind: str, most: int) -> bytes:
    content = read(entry.hash, kind, most)
    digest = hashlib.sha1(b"%s %d\0" % (kind.encode(), len(content)) + content, usedforsecurity=False)
    if digest.hexdigest() != entry.hash:
        raise Unusable(f"the object {entry.hash[:12]} does not hold what its hash says")
    return content


def _entries(content: bytes, parent: _Entry) -> Iterator[_Entry]:
    """Of a tree object."""
    at, length = 0, len(parent.hash) // 2
    while at < len(content):
        end = content.find(b"\0", at)
        if end < 0:
            raise Unusable(f"the tree {parent.hash[:12]} is damaged")
        mode, _, name = content[at:end].decode("utf-8", "surrogateescape").partition(" ")
        if "/" in name or not usable_path(name):
            raise Unusable(f"the tree {parent.hash[:12]} has an entry {name!r}, which no folder can hold")
        yield _Entry(mode.lstrip("0"), content[end + 1 : end + 1 + length].hex(), parent.path / name)
        at = end + 1 + length


def _make(folder: Path) -> None:
    try:
        folder.mkdir()
    except FileExistsError as error:
        raise Unusable(f"{folder.name} is in its tree twice") from error


def _write(path: Path, entry: _Entry, content: bytes) -> None:
    """A new file or link; nothing is followed, and nothing that is there is changed."""
    try:
        if entry.mode == LINK:
            target = content.decode("utf-8", "surrogateescape")
            inside = os.path.normpath(entry.path.parent / target)
            if target.startswith("/") or "\0" in target or inside.split("/")[0] == "..":
                raise Unusable(f"{entry.path} is a link that leads out of the tree")
            path.symlink_to(target)
            return
        with path.open("xb") as file:
            file.write(content)
        if entry.mode == PROGRAM:
            path.chmod(0o755)
    except FileExistsError as error:
        raise Unusable(f"{entry.path} is in its tree twice") from error
