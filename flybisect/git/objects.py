"""Files of a commit, written from git's objects: no checkout, so no filter, hook or attribute has a say.

The objects may be anybody's. Each is checked against its hash, since folders are kept under the hash of
what they hold; names and links that lead out of the folder are refused, and so is what is far too large.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from flybisect.git.command import GitFailed

MOST_FILES = 10_000
MOST_BYTES = 1 << 30
CHUNK = 500
"""Objects that are in memory at once."""

TREE, LINK, PROGRAM, SUBMODULE = "40000", "120000", "100755", "160000"
"""Modes of an entry (gitformat-index(5))."""

Git = Callable[[Sequence[str], bytes], bytes]
"""Runs git with words and a standard input. Raises GitFailed."""


class Unusable(GitFailed):
    """A commit whose files can't be written."""


@dataclass(frozen=True)
class _Entry:
    mode: str
    hash: str
    path: PurePosixPath


def write_tree(git: Git, tree: str, folder: Path) -> None:
    """Writes the files of `tree`, a hash, to the new `folder`. Raises Unusable, and GitFailed where an
    object is missing."""
    folder.mkdir(parents=True)
    blobs: list[_Entry] = []
    trees = [_Entry(TREE, tree, PurePosixPath())]
    count = 0
    while trees:
        below: list[_Entry] = []
        for parent, content in _read(git, trees, "tree"):
            for entry in _entries(content, parent):
                count += 1
                if count > MOST_FILES:
                    raise Unusable(f"the tree {tree[:12]} holds more than {MOST_FILES} files")
                if entry.mode in (TREE, SUBMODULE):
                    _make(folder / entry.path)
                below += [entry] if entry.mode == TREE else []
                blobs += [entry] if entry.mode not in (TREE, SUBMODULE) else []
        trees = below
    for entry, content in _read(git, blobs, "blob"):
        _write(folder / entry.path, entry, content)


def usable_path(path: str) -> bool:
    """Whether a path of a tree stays below where the tree is written, and is none of git's own."""
    parts = path.split("/")
    return all(part not in ("", ".", "..") and part.lower() != ".git" for part in parts) and "\0" not in path


def _read(git: Git, entries: Sequence[_Entry], kind: str) -> Iterator[tuple[_Entry, bytes]]:
    """Contents, as long as they are not too much in all."""
    total = 0
    for start in range(0, len(entries), CHUNK):
        part = entries[start : start + CHUNK]
        hashes = "".join(f"{entry.hash}\n" for entry in part).encode()
        for line in git(["cat-file", "--batch-check"], hashes).decode("ascii", "replace").splitlines():
            words = line.split()
            if len(words) != 3 or words[1] != kind:
                wrong = f"is no {kind}" if len(words) == 3 else "is missing; a partial clone lacks files"
                raise GitFailed(f"the object {words[0][:12]} {wrong}")
            total += int(words[2])
        if total > MOST_BYTES:
            raise Unusable(f"files of more than {MOST_BYTES >> 20} MiB in one tree")
        packed = git(["cat-file", "--batch"], hashes)
        at = 0
        for entry in part:
            end = packed.index(b"\n", at)
            size = int(packed[at:end].split()[2])
            content = packed[end + 1 : end + 1 + size]
            at = end + 2 + size
            if _hash(kind, content, len(entry.hash)) != entry.hash:
                raise Unusable(f"the object {entry.hash[:12]} does not hold what its hash says")
            yield entry, content


def _hash(kind: str, content: bytes, digits: int) -> str:
    make = hashlib.sha1 if digits == 40 else hashlib.sha256
    return make(b"%s %d\0" % (kind.encode(), len(content)) + content, usedforsecurity=False).hexdigest()


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
