"""How often to look for what shows by chance. Pure.

What shows in some runs only is looked for as often as it takes to miss one that shows it as often as what
was measured with at most `MISSED`. What is counted on is not the rate that was seen but the least that
would give it, with the same confidence (Clopper and Pearson, Biometrika 26, 1934).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

MISSED = 0.01
"""Chance that what shows the bug as often as was measured is taken for one that does not."""
AT_START = 2
"""More runs, by which it is noticed."""
MEASURED = 20
"""Runs by which a rate is told."""
MOST = 30
"""Runs of one; a bug that needs more is too rare to judge by."""


@dataclass(frozen=True)
class Rate:
    """How often a bug showed."""

    shown: int
    runs: int

    @property
    def repeats(self) -> int | None:
        """Runs of another; None where more than `MOST` would be needed."""
        if self.shown == self.runs:
            return 1
        least = least_rate(self.shown, self.runs)
        needed = math.ceil(math.log(MISSED) / math.log1p(-least)) if least > 0 else MOST + 1
        return needed if needed <= MOST else None

    def __str__(self) -> str:
        return f"{self.shown} of {self.runs} runs"


def least_rate(shown: int, runs: int) -> float:
    """The rate at which `shown` or more of `runs` come about with a chance of `MISSED` alone."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        chance = sum(
            math.comb(runs, count) * middle**count * (1 - middle) ** (runs - count)
            for count in range(shown, runs + 1)
        )
        low, high = (middle, high) if chance < MISSED else (low, middle)
    return low
