"""What a bisection searches: entries, each with the ways in which its FlyDSL can be obtained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from flybisect.toolchain.model import Exactness, Toolchain


@dataclass(frozen=True)
class Attempt:
    """One way to test an entry."""

    name: str
    """A version, or a commit's hash."""
    way: str
    """In words."""
    exactness: Exactness
    obtain: Callable[[], Toolchain]
    """Raises Unavailable where this FlyDSL can't be obtained, UserError where none can."""
    builds: bool = False
    """It is a build from source."""
    pieces: tuple[Attempt, ...] = ()
    """Where there are some they are tested in its place, and have to give the same verdict."""


class Entry(Protocol):
    """A release; or a commit, which stands for its neighbours with the same build inputs."""

    @property
    def name(self) -> str:
        """A version, or a commit's full hash."""
        ...

    @property
    def label(self) -> str:
        """For a person."""
        ...

    @property
    def costly(self) -> bool:
        """Testing it takes a build; a cheap neighbour is preferred."""
        ...

    def attempts(self) -> Sequence[Attempt]:
        """Best first; none where it is untestable."""
        ...

    def why_none(self) -> str:
        """Why there is no attempt, as the end of a sentence about it."""
        ...
