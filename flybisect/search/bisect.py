"""Bisection over a list in which some entries can't be tested. Pure.

The list's two endpoints differ; somewhere between them the answer changes. Where an entry
can't be tested, one that cuts the list nearly as evenly is asked about, the farther away the more of them
could not be: most such entries stand alone, some in a stretch. After `STRETCH` in a row what lies between
these is asked about last, so that one long stretch costs about the logarithm of its length wherever the
change is not inside of it. Without such entries, `n` entries between the endpoints take at most
`ceil(log2(n + 1))` questions one at a time, and `SPARE` more where some entries are costly.
"""

from __future__ import annotations

import math
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


STRETCH = 3
"""So many in a row that can't be tested are taken for a stretch."""
NEARNESS = 0.5
"""How far an entry that can't be tested speaks against those around it. With 0.3 to 1, histories where a
tenth or a third of the entries can't be tested take as many questions."""
LEAST = 1e-6
SPARE = 1
"""Questions more than halving takes that costly entries are worth; a test takes seconds, a build minutes."""

Ask = Callable[[Sequence[int]], Sequence[Side]]
"""Answers for entries of the list, in the order of the question. They may be found out all at once."""


class Why(Enum):
    """Why there is nothing to search."""

    ALIKE = "both endpoints are alike"
    UNTESTABLE = "an endpoint is untestable"


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
        """The entries of which one made the change: one alone, or with those before it untestable."""
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
    count: int,
    ask: Ask,
    *,
    known: Mapping[int, Side] | None = None,
    jobs: int = 1,
    costly: Callable[[int], bool] | None = None,
) -> Found | Refused:
    """The change in a list of `count` entries (at least two), the endpoints asked about first.

    What is in `known` is never asked, and nothing is asked twice. `jobs` entries are asked about at
    once, which cuts the list into that many parts more; how long each answer takes changes nothing. Of
    several changes among the answers the last one is followed: it is the one that the last entry shows.

    Where one is asked about at a time, a cheap entry near the middle is preferred to a `costly` one, until
    one can't be tested.
    """
    if count < 2:
        raise ValueError("a list to bisect has two endpoints")
    answers = dict(known or {})
    _learn(answers, [at for at in (0, count - 1) if at not in answers], ask)
    ends = answers[0], answers[count - 1]
    if Side.SKIP in ends:
        return Refused(Why.UNTESTABLE, answers)
    if ends[0] is ends[1]:
        return Refused(Why.ALIKE, answers)
    costly = costly if jobs == 1 else None
    budget: int | None = None
    runs: list[list[int]] = [[]]
    while True:
        before, after = _bracket(answers, ends[1])
        left = [at for at in range(before + 1, after) if at not in answers]
        if not left:
            return Found(before, after, answers)
        if costly is not None:
            budget = _questions(len(left)) + SPARE if budget is None else budget - 1
            asked = [_cheapest(left, costly, budget)]
        else:
            here = [[at for at in run if before < at < after] for run in runs if len(run) >= STRETCH]
            missed = [at for at in range(before + 1, after) if at in answers]
            asked = _choose(left, jobs, missed, [at for run in here for at in run])
        _learn(answers, asked, ask)
        skipped = [at for at in asked if answers[at] is Side.SKIP]
        if skipped:
            costly = None
        runs[-1] += skipped
        if len(skipped) < len(asked):
            runs.append([])


def _learn(answers: dict[int, Side], asked: Sequence[int], ask: Ask) -> None:
    if asked:
        answers.update(zip(asked, ask(asked), strict=True))


def _bracket(answers: Mapping[int, Side], last: Side) -> tuple[int, int]:
    """The last change among the answers to `last`, which is the side of the list's last entry."""
    judged = {at: side for at, side in answers.items() if side is not Side.SKIP}
    before = max(at for at, side in judged.items() if side is not last)
    return before, min(at for at, side in judged.items() if side is last and at > before)


def _choose(left: Sequence[int], number: int, missed: Sequence[int], stretch: Sequence[int]) -> list[int]:
    """At most `number` of the entries that are left, near those that cut the list into equal parts.

    `missed` could not be tested; `stretch` are those of them that were met in a row.
    """
    if not missed:
        return _spread(left, number)
    below = [at for at in left if stretch and at < min(stretch)]
    above = [at for at in left if stretch and at > max(stretch)]
    if not below and not above:
        return _near_even_cuts(left, number, missed)
    larger, smaller = sorted((below, above), key=len, reverse=True)
    there = max(number - number // 2, number - len(smaller))
    return sorted(
        [*_near_even_cuts(larger, there, missed), *_near_even_cuts(smaller, number - there, missed)]
    )


def _near_even_cuts(left: Sequence[int], number: int, missed: Sequence[int]) -> list[int]:
    """At most `number` entries, each between an even cut and one that is likelier to be tested."""
    chosen: list[int] = []
    wanted = min(number, len(left))
    for part in range(wanted):
        target, reach = len(left) * (part + 1) // (wanted + 1), len(left) / (wanted + 1)
        weights = {
            at: _weight(abs(place - target) / (reach + 1), at, missed)
            for place, at in enumerate(left)
            if at not in chosen
        }
        chosen.append(max(weights, key=weights.__getitem__))
    return sorted(chosen)


def _weight(off: float, at: int, missed: Sequence[int]) -> float:
    """What it is worth to ask about an entry `off` the even cut (1: as far as it may be), times how likely it
    can be tested. That is less the nearer to each that could not."""
    tested = math.prod(abs(at - each) / (abs(at - each) + NEARNESS) for each in missed)
    return max(1 - off, LEAST) * tested


def _spread(left: Sequence[int], number: int) -> list[int]:
    """At most `number` entries that cut the list into parts of equal length."""
    wanted = min(number, len(left))
    return [left[len(left) * (part + 1) // (wanted + 1)] for part in range(wanted)]


def _cheapest(left: Sequence[int], costly: Callable[[int], bool], budget: int) -> int:
    """The middle; where that is costly, the nearest one that is not, as long as what remains takes no more
    questions than `budget` allows, whatever the answer is."""
    middle = len(left) // 2
    near = sorted(range(len(left)), key=lambda at: abs(at - middle))
    within = (at for at in near if 1 + _questions(max(at, len(left) - 1 - at)) <= budget)
    return left[next((at for at in within if not costly(left[at])), middle)]


def _questions(entries: int) -> int:
    """That halving takes: ceil(log2(entries + 1))."""
    return entries.bit_length()
