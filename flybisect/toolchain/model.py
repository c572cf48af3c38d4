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
    """The commit's own C++, with another LLVM than its pin, or a stand-in for a submodule."""
    INEXACT = "inexact"
    """The commit's Python over natives of another tree."""
    BOTH_NATIVES = "both natives"
    """The commit's Python over the natives of either endpoint, with the same verdict."""
    TWO_NATIVES = "two natives"
    """The same over the natives of one endpoint and of another release, where the other endpoint's do not
    work under the Python of the first."""
    BOTH_PYTHONS = "both Pythons"
    """The commit's natives under the Python of either endpoint, with the same verdict."""


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


class CommitBuilder(Protocol):
    """Builds commits of one clone from source. Commits are named by their full hash."""

    def exactness(self, commit: str) -> Exactness:
        """How exact a build of it would be; costs next to nothing. Raises Unavailable where none can be
        tried."""
        ...

    def ready(self, commit: str) -> bool:
        """Whether its native half is built, so that `build` takes seconds. Raises Unavailable where none can
        be tried."""
        ...

    def build(self, commit: str) -> Toolchain:
        """Built now, or found built. Raises Unavailable where the build fails (the commit is skipped), and
        UserError where no build can work, as with a full disk."""
        ...

    def log(self, commit: str) -> Path:
        """Where the output of its build goes."""
        ...
