"""The files beside a script, for workers that do not see its folder.

A folder crosses once to each worker machine, under the key of its content, and only where it is small: a
script that reads gigabytes beside it needs a file system that the workers share.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgpack

from flybisect.toolchain.store import built_once

LARGEST = 4 << 20
"""Bytes of all files together."""
MOST = 1000
"""Files."""
LEFT_OUT = frozenset({"__pycache__", "workdirs", "node_modules"})


class TooLarge(Exception):
    """The folder is more than is shipped."""


def pack(folder: Path) -> bytes:
    """Its files, packed; equal folders give equal bytes. Raises TooLarge, OSError."""
    found: dict[str, bytes] = {}
    size = 0
    for path in _files(folder):
        size += path.stat().st_size
        if size > LARGEST or len(found) >= MOST:
            raise TooLarge
        found[str(path.relative_to(folder))] = path.read_bytes()
    return zlib.compress(msgpack.packb(found, unicode_errors="surrogateescape"))


def key(packed: bytes) -> str:
    return hashlib.sha256(packed).hexdigest()[:32]


def unpacked_to(store: Path, packed: bytes) -> Path:
    """The folder in `store` that holds these files, made where it is missing. Raises ValueError for a path
    that leads out of it."""

    def write(made: Path) -> None:
        opened = zlib.decompressobj()
        data = opened.decompress(packed, 4 * LARGEST)
        for name, content in msgpack.unpackb(data, unicode_errors="surrogateescape").items():
            path = made / name
            if not path.resolve().is_relative_to(made.resolve()):
                raise ValueError(f"{name!r} leads out of the folder")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    store.mkdir(parents=True, exist_ok=True)
    return built_once(store / key(packed), write)


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name in LEFT_OUT or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path
