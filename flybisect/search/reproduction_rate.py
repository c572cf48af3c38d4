"""Flakiness: how often a bug shows, how many clean runs say that it is absent, when another run is due. Pure.

Reductions (`flybisect.judge.flaky`) and bisections (`flybisect.search.flaky_bisection`) both use it. A flaky
bug is looked for in so many runs that what shows it as often as was measured is missed with a chance of at
most `MISSED`. What is counted on is not the rate that was seen but the least that would give it, with the
same confidence (Clopper and Pearson, Biometrika 26, 1934).
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

MISSED = 0.01
"""Chance that what shows the bug as often as was measured counts as good."""
AT_START = 2
"""Extra runs by which flakiness is noticed."""
MEASURED = 20
"""Runs by which a rate is measured."""
MOST = 30
"""Runs of one candidate at most; a bug that needs more is refused."""
SAMPLED = 32
"""One candidate in so many gets a second run, while nothing is known to be flaky."""


@dataclass(frozen=True)
class Rate:
    """How often a bug showed."""

    shown: int
    runs: int

    @property
    def repeats(self) -> int | None:
        """Clean runs after which another one counts as good; None where more than `MOST` would be needed."""
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


def extra_runs(seconds: float, slow: float) -> int:
    """How often something is run again to notice flakiness: once where a run takes `slow` seconds or more."""
    return 1 if seconds >= slow else AT_START


def is_sampled(text: str) -> bool:
    """Whether this candidate gets a second run. Its text decides, so that a resumed search asks the same."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0] % SAMPLED == 0


def counted_as_good(runs: int, what: str) -> str:
    """The sentence about a flaky bug. `what`: what is judged, in the plural."""
    return (
        f"flaky: counted as good after {runs} clean runs; misses at most {100 * MISSED:.0f} % of bad {what}"
    )


def rate_too_low(shown: str, what: str) -> str:
    """The sentence that refuses a bug which shows too seldom. `shown`: that it does, with the rate."""
    return (
        f"flaky: {shown}. This reproduction rate is too low to judge by: each {what} would need more than "
        f"{MOST} runs. Find what makes the bug show more often, or give an oracle that does not depend on it"
    )
