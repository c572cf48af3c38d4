"""What a toolchain is: one FlyDSL that can be compiled with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol


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


class Unavailable(Exception):
    """This FlyDSL can't be had, for a reason of its own: one sentence. Others may still be."""


@dataclass(frozen=True)
class Sources:
    """One commit's build inputs, as far as a builder has to know them. Hashes are git's."""

    commit: str
    """40 hex digits."""
    native: str
    """Changes with C++, CMake, third-party pins and LLVM's patches."""
    python: str
    """Tree of `python/flydsl`."""
    llvm: str
    """Changes with the pinned LLVM, its patches and the script that builds it."""
    llvm_pin: str | None
    """The pinned commit of llvm-project; None where the commit pins none."""


class SourceBuilder(Protocol):
    """Builds commits of one clone from source."""

    def exactness(self, sources: Sources) -> Exactness:
        """How exact a build of it would be; costs nothing. Raises Unavailable where none can be tried."""
        ...

    def build(self, sources: Sources) -> Toolchain:
        """Built now, or found built. Raises Unavailable where the build fails (the commit is skipped), and
        UserError where no build can work, as with a full disk."""
        ...
