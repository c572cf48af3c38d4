"""Bisection where some entries cost a build and others nothing to speak of. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from flybisect.search.bisect import Ask, Found, Refused, Side, bisect

SPARE = 1
"""Questions more than halving takes, in all; a test takes seconds, a build minutes."""


def bisect_cheaply(
    count: int, ask: Ask, costs: Callable[[int], bool], known: Mapping[int, Side]
) -> Found | Refused:
    """As `bisect` of `count` entries, one question at a time, whose ends are in `known`.

    Where the middle costs a build, one near it is asked about that does not, as long as that makes at most
    SPARE questions more, whatever the answers are. From the first entry on that can't be tested, all is left
    to `bisect`, which goes around a stretch of them.
    """
    answers = dict(known)
    left = _left(answers, count)
    budget = _questions(len(left)) + SPARE
    while left:
        place = _choice(left, costs, budget)
        answers[place] = ask([place])[0]
        if answers[place] is Side.SKIP:
            break
        budget -= 1
        left = _left(answers, count)
    return bisect(count, ask, known=answers)


def _choice(left: Sequence[int], costs: Callable[[int], bool], budget: int) -> int:
    middle = len(left) // 2
    if not costs(left[middle]):
        return left[middle]
    near = sorted(range(len(left)), key=lambda at: abs(at - middle))
    within = (at for at in near if 1 + _questions(max(at, len(left) - 1 - at)) <= budget)
    return left[next((at for at in within if not costs(left[at])), middle)]


def _left(answers: Mapping[int, Side], count: int) -> list[int]:
    """What is to be asked about, between the neighbours where the answer changes; nothing where it does
    not."""
    last = answers[count - 1]
    judged = {at: side for at, side in answers.items() if side is not Side.SKIP}
    before = max((at for at, side in judged.items() if side is not last), default=count)
    after = min((at for at in judged if at > before), default=before)
    return [at for at in range(before + 1, after) if at not in answers]


def _questions(entries: int) -> int:
    """That halving takes: ceil(log2(entries + 1))."""
    return entries.bit_length()
