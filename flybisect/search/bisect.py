"""Bisection over a list in which some entries can't be tested. Pure.

The list's two ends differ; somewhere between them the answer changes. Entries that can't be tested are
gone around, as a stretch: what lies between two of them is asked about last, so that one long stretch
costs about the logarithm of its length wherever the change is not inside of it. Without such entries,
`n` entries between the ends take at most `ceil(log2(n + 1))` questions one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise


class Side(str, Enum):
    """What an entry is. Which of GOOD and BAD the list begins with is for the list to show."""

    GOOD = "good"
    BAD = "bad"
    SKIP = "skip"
    """Can't be tested, or not be judged."""


Ask = Callable[[Sequence[int]], Sequence[Side]]
"""Answers for entries of the list, in the order of the question. They may be found out all at once."""


class Why(Enum):
    """Why there is nothing to search."""

    ALIKE = "both ends are alike"
    UNTESTABLE = "an end can't be tested"


@dataclass(frozen=True)
class Refused:
    """No search was made."""

    why: Why
    answers: Mapping[int, Side]


@dataclass(frozen=True)
class Found:
    """Where the answer changes."""

    before: int
    """The last entry known to be like the first one."""
    after: int
    """The first entry behind it known to be like the last one."""
    answers: Mapping[int, Side]
    """All that is known, by entry."""

    @property
    def suspects(self) -> range:
        """The entries of which one brought the change: one alone, or with those before it untestable."""
        return range(self.before + 1, self.after + 1)

    @property
    def exact(self) -> bool:
        return self.after == self.before + 1

    @property
    def changes(self) -> tuple[tuple[int, int], ...]:
        """Every pair of neighbours, among the entries with an answer, that differ; one where the history
        is monotone as far as it was tested."""
        judged = sorted(at for at, side in self.answers.items() if side is not Side.SKIP)
        return tuple(
            (left, right) for left, right in pairwise(judged) if self.answers[left] is not self.answers[right]
        )

    @property
    def monotone(self) -> bool:
        return len(self.changes) == 1


def bisect(
    count: int, ask: Ask, *, known: Mapping[int, Side] | None = None, jobs: int = 1
) -> Found | Refused:
    """The change in a list of `count` entries (at least two), the ends asked about first.

    What is in `known` is never asked, and nothing is asked twice. `jobs` entries are asked about at
    once, which cuts the list into that many parts more; how long each answer takes changes nothing. Of
    several changes among the answers the last one is followed: it is the one that the last entry shows.
    """
    if count < 2:
        raise ValueError("a list to bisect has two ends")
    answers = dict(known or {})
    _learn(answers, [at for at in (0, count - 1) if at not in answers], ask)
    ends = answers[0], answers[count - 1]
    if Side.SKIP in ends:
        return Refused(Why.UNTESTABLE, answers)
    if ends[0] is ends[1]:
        return Refused(Why.ALIKE, answers)
    missed: set[int] = set()
    while True:
        before, after = _bracket(answers, ends[1])
        left = [at for at in range(before + 1, after) if at not in answers]
        if not left:
            return Found(before, after, answers)
        asked = _choose(left, jobs, [at for at in missed if before < at < after])
        _learn(answers, asked, ask)
        missed |= {at for at in asked if answers[at] is Side.SKIP}


def _learn(answers: dict[int, Side], asked: Sequence[int], ask: Ask) -> None:
    if asked:
        answers.update(zip(asked, ask(asked), strict=True))


def _bracket(answers: Mapping[int, Side], last: Side) -> tuple[int, int]:
    """The last change among the answers to `last`, which is the side of the list's end."""
    judged = {at: side for at, side in answers.items() if side is not Side.SKIP}
    before = max(at for at, side in judged.items() if side is not last)
    return before, min(at for at, side in judged.items() if side is last and at > before)


def _choose(left: Sequence[int], number: int, missed: Sequence[int]) -> list[int]:
    """At most `number` of the entries that are left; those inside of the stretch that missed come last."""
    if not missed:
        return _spread(left, number)
    below = [at for at in left if at < min(missed)]
    above = [at for at in left if at > max(missed)]
    if not below and not above:
        return _spread(left, number)
    larger, smaller = sorted((below, above), key=len, reverse=True)
    there = max(number - number // 2, number - len(smaller))
    return sorted([*_spread(larger, there), *_spread(smaller, number - there)])


def _spread(left: Sequence[int], number: int) -> list[int]:
    """At most `number` entries that cut the list into parts of equal length."""
    wanted = min(number, len(left))
    return [left[len(left) * (part + 1) // (wanted + 1)] for part in range(wanted)]
