"""What a toolchain is made of, as one short text that changes when any of it does."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

READ_WHOLE = 1 << 20
"""Files up to this many bytes count with their content; larger ones (the native libraries) with size
and modification time, since reading 250 MiB would cost half a second on every start."""


def of_package(site: Path) -> str:
    """Hex digest over `site/flydsl` and, where it is there, `site/flydsl.libs` (a wheel's own libraries)."""
    total = hashlib.sha256()
    for root in (site / "flydsl", site / "flydsl.libs"):
        for path in _files(root):
            total.update(f"{path.relative_to(site)}\0{_of_file(path)}\n".encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def combine(*parts: str) -> str:
    """The key made of `parts`, 20 hex digits."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:20]


def _files(root: Path) -> Iterator[Path]:
    """All files below `root` but bytecode, sorted. Links are followed: a checkout links its built `_mlir`."""
    if not root.is_dir():
        return
    for entry in sorted(root.iterdir()):
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files(entry)
        elif entry.suffix != ".pyc" and entry.exists():
            yield entry


def _of_file(path: Path) -> str:
    facts = path.stat()
    if facts.st_size > READ_WHOLE:
        return f"{facts.st_size} {facts.st_mtime_ns}"
    return hashlib.sha256(path.read_bytes()).hexdigest()
