"""Whoever shows how a run goes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from flybisect.judge.judge import Judge
from flybisect.reduce.hint import Pass
from flybisect.reduce.reduction_state import ReductionStep as Reducing
from flybisect.workflows.findings import RunStep


class ShowingReduction(Protocol):
    def step(self, step: Reducing) -> None: ...

    def verifying(self, text: str) -> None: ...


class Showing(Protocol):
    """Is told; answers nothing."""

    def begin(self, name: str) -> None:
        """A step of the run."""
        ...

    def ended(self, step: RunStep) -> None: ...

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

    def reduction(
        self, judge: Judge, source: str, passes: Sequence[Pass]
    ) -> AbstractContextManager[ShowingReduction]: ...
