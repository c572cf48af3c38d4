"""What a toolchain is: one FlyDSL that can be compiled with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Exactness(str, Enum):
    """How far a toolchain is what it is called."""

    EXACT = "exact"
    PROXY = "proxy"
    """The commit's own C++, another LLVM than its pin."""
    INEXACT = "inexact"
    """The commit's Python over natives of another tree."""


@dataclass(frozen=True)
class Toolchain:
    """Enough to start a worker in it."""

    spec: str
    """What was asked for: `installed`, a version, a path, a commit."""
    kind: str
    """`installed`, `release`, `path`, `overlay` or `source`."""
    key: str
    """Changes when anything it compiles with changes; observations are kept under it."""
    version: str
    """FlyDSL's own version string."""
    python: Path
    """The interpreter of its workers."""
    paths: tuple[Path, ...] = ()
    """Folders that go first on the worker's `sys.path`."""
    exactness: Exactness = Exactness.EXACT
    rocm: Path | None = None
    """Root that stands for `$ROCM_PATH`; holds `llvm/bin/ld.lld`."""
