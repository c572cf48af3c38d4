"""What a reduction asks its judge about a script, and the answer."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from flybisect.observation import Observation, Want


@dataclass(frozen=True)
class Question:
    """Whether a script is interesting or, with `wants`, what it shows."""

    source: str
    trusted: bool = False
    """The baseline's compile may be left out, as if the baseline were what it was before."""
    wants: frozenset[Want] | None = None
    """What its observations have to yield; None: its verdict is asked for."""


@dataclass(frozen=True)
class Reply:
    """The answer to a question."""

    interesting: bool = False
    trial: bool = False
    """True when it took a trial, or would have without the predictions."""
    failing_line: int | None = None
    """The script's line that the compiler named, for an interesting script."""
    shown: Sequence[Observation] = ()
    """What it shows under the case, then under the baseline, where that was asked for."""
    predicted: bool = False
    """It was not judged: this is what mostly comes of such a question."""


Result = TypeVar("Result")
Questions = Generator[Question, Reply, Result]
"""A part of a reduction: it yields questions, is sent their answers, and comes to a result."""
