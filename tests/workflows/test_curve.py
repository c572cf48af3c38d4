"""How a reduction went, over two runs of one session."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from flybisect.judge.judge import Judge
from flybisect.judge.statistics import Statistics
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.workflows.curve import Curve, curve_of


class Counted:
    """What the curve asks of a judge."""

    counts = Statistics()

    def at(self, compiles: int) -> None:
        self.statistics = Statistics(compiles=compiles)


def text(statements: int) -> str:
    return "".join(f"x{at} = {at}\n" for at in range(statements))


def draw(folder: Path, *steps: tuple[int, int]) -> None:
    judge = Counted()
    curve = Curve(folder, cast(Judge, judge), text(9))
    told: list[ReductionStep] = []
    notice = curve.noting(told.append)
    for compiles, statements in steps:
        judge.at(compiles)
        notice(ReductionStep("statements", text(statements)))
        notice(ReductionStep("statements", text(1), confirmed=False))
    curve.save()
    assert len(told) == 2 * len(steps)


def test_a_run_that_is_gone_on_with_goes_on_with_its_curve(tmp_path: Path) -> None:
    assert curve_of(tmp_path) == []
    draw(tmp_path, (2, 7), (5, 6), (6, 6))
    assert curve_of(tmp_path) == [(0, 9), (2, 7), (5, 6)]
    draw(tmp_path, (0, 7), (0, 6), (3, 4))
    assert curve_of(tmp_path) == [(0, 9), (2, 7), (5, 6), (8, 4)]
