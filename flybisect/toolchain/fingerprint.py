"""What a toolchain is made of, as one short text that changes when any of it does."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

READ_WHOLE = 1 << 20
"""Files up to this many bytes count with their content. Larger ones (the native libraries) count with the
hash that the wheel's RECORD has of them, where they were not changed since that was written; else with size
and modification time. Reading 250 MiB would cost half a second on every start."""
APART = 60.0
"""Seconds between a file and the RECORD, where both were written by one installation. A file with another
time, older ones too (`cp -p`), may be another one."""


ROOTS = ("flydsl", "flydsl.libs")
"""The package, and a wheel's own libraries."""


def of_package(site: Path) -> str:
    """Hex digest over the files of the FlyDSL in `site`."""
    total = hashlib.sha256()
    recorded = _recorded(site)
    for path in files(site):
        name = str(path.relative_to(site))
        total.update(f"{name}\0{_of_file(path, recorded.get(name))}\n".encode("utf-8", "surrogateescape"))
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


class _Recorded:
    """What a wheel says of one of its files (PyPA's "Recording installed projects")."""

    def __init__(self, digest: str, size: str, written: float) -> None:
        self._digest = digest
        self._size = size
        self._written = written

    def of(self, path: Path) -> str | None:
        """The hash; None where the file is another one by now."""
        facts = path.stat()
        same = self._size == str(facts.st_size) and abs(facts.st_mtime - self._written) <= APART
        return self._digest if same and self._digest else None


def _recorded(site: Path) -> Mapping[str, _Recorded]:
    """By path below `site`; nothing where FlyDSL was not installed from a wheel."""
    found = sorted(site.glob("flydsl-*.dist-info/RECORD"))
    if len(found) != 1:
        return {}
    written = found[0].stat().st_mtime
    try:
        with found[0].open(newline="", encoding="utf-8") as lines:
            rows = [row for row in csv.reader(lines) if len(row) == 3]
    except (OSError, UnicodeDecodeError, csv.Error):
        return {}
    return {name: _Recorded(digest, size, written) for name, digest, size in rows}


def _of_file(path: Path, recorded: _Recorded | None = None) -> str:
    facts = path.stat()
    if facts.st_size <= READ_WHOLE:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    digest = None if recorded is None else recorded.of(path)
    return f"{facts.st_size} {facts.st_mtime_ns if digest is None else digest}"
