"""What a toolchain is made of, as one short text that changes when any of it does."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

READ_WHOLE = 1 << 20
"""Files up to this many bytes count with their content; larger ones (the native libraries) with size
and modification time, since reading 250 MiB would cost half a second on every start."""


ROOTS = ("flydsl", "flydsl.libs")
"""The package, and a wheel's own libraries."""


def of_package(site: Path) -> str:
    """Hex digest over the files of the FlyDSL in `site`."""
    total = hashlib.sha256()
    for path in files(site):
        total.update(f"{path.relative_to(site)}\0{_of_file(path)}\n".encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def files(site: Path) -> Iterator[Path]:
    """All files of the FlyDSL in `site` but bytecode, in an order that does not change."""
    for root in ROOTS:
        yield from _below(site / root)


def of_folder(folder: Path) -> str:
    """Hex digest over all files below `folder`."""
    parts = (f"{path.relative_to(folder)} {_of_file(path)}" for path in _below(folder))
    return combine(*parts)


def combine(*parts: str) -> str:
    """The key made of `parts`, 20 hex digits."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:20]


def _below(root: Path) -> Iterator[Path]:
    """All files below `root` but bytecode, sorted. Links are followed: a checkout links its built `_mlir`."""
    if not root.is_dir():
        return
    for entry in sorted(root.iterdir()):
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _below(entry)
        elif entry.suffix != ".pyc" and entry.exists():
            yield entry


def _of_file(path: Path) -> str:
    facts = path.stat()
    if facts.st_size > READ_WHOLE:
        return f"{facts.st_size} {facts.st_mtime_ns}"
    return hashlib.sha256(path.read_bytes()).hexdigest()
