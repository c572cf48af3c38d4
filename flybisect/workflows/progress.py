"""Whoever shows how a workflow goes. They get events, and answer nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from flybisect.judge.judge import Judge
from flybisect.reduce.hint import Pass
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.session.session import Session
from flybisect.workflows.findings import RunStep

Begun = Callable[[Session], None]
"""Gets the session of a workflow as soon as it is open."""


class ReductionView(Protocol):
    def step(self, step: ReductionStep) -> None: ...

    def verifying(self, text: str) -> None:
        """The reduced script is run once more, cold."""
        ...


class ShowsReduction(Protocol):
    def notify(self, line: str) -> None: ...

    def reduction(
        self, judge: Judge, source: str, passes: Sequence[Pass]
    ) -> AbstractContextManager[ReductionView]: ...


class ShowsSearch(Protocol):
    def notify(self, line: str) -> None: ...

    def bisecting(self, count: int) -> None:
        """From now on some of `count` FlyDSLs are tried."""
        ...

    def trying_all(self, count: int) -> None:
        """From now on `count` FlyDSLs are tried."""
        ...

    def trying(self, name: str) -> None:
        """One of them."""
        ...


class ShowsRun(ShowsReduction, ShowsSearch, Protocol):
    def begin(self, name: str) -> None:
        """A step of the run."""
        ...

    def ended(self, step: RunStep) -> None: ...
