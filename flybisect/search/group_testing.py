"""Choosing as many of a set of changes as possible, by testing groups of them. Pure.

Each change is believed to hold with some chance, apart from the others. The next group is the one from which
the most changes are expected: with chances p1 >= p2 >= …, the first k for which k * p1 * … * pk is largest. A
group that holds is kept, and what is next is chosen on top of it. One that fails makes each of its changes less
likely to hold, by Bayes' rule, so that other changes come first and then smaller groups; alone, a change that
fails is out. (ProbDD: Wang, Shen, Chen, Xiong, Zhang, "Probabilistic Delta Debugging", ESEC/FSE 2021. There,
every change begins with one chance; here, with what was learned of its kind.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence

from flybisect.search.beliefs import Beliefs, Kind

Subset = frozenset[int]
Buildable = Callable[[Subset, Subset], Subset]
"""Of changes that are wanted on top of chosen ones, those that can be made with them: all, some, or none."""


SURE = 0.999
"""No change is more certain to fail before it was tried alone."""


class GroupTest:
    """One search over changes `0..n-1`."""

    def __init__(self, kinds: Sequence[Kind], beliefs: Beliefs, buildable: Buildable) -> None:
        self._kinds = kinds
        self._beliefs = beliefs
        self._buildable = buildable
        self._doubt = [1.0] * len(kinds)
        """By change: how much the odds that it fails have grown by the groups that failed with it."""
        self.chosen: Subset = frozenset()
        self.left = set(range(len(kinds)))
        """Changes that are neither chosen nor out."""
        self.unbuilt: set[int] = set()
        """Those that could not be made on top of what was chosen."""

    def run(self, least: int = 1) -> Generator[Subset, bool, None]:
        """Yields groups that are to be tested together with `chosen`; is sent whether they hold.

        `least`: groups of fewer changes are not worth a test.
        """
        while self.left:
            wanted = self._wanted()
            group = self._buildable(self.chosen, wanted)
            if not group:
                self.left -= wanted
                self.unbuilt |= wanted
                continue
            if len(group) < min(least, len(self._kinds)):
                return
            self.note(group, (yield group))

    def note(self, group: Subset, holds: bool) -> None:
        """An answer."""
        if holds:
            self.chosen |= group
            self.left -= group
            for each in group:
                self._beliefs.held(self._kinds[each])
            return
        if len(group) == 1:
            self.left -= group
            self._beliefs.failed(self._kinds[min(group)])
            return
        fails = {each: 1 - self._chance(each) for each in group}
        for each in group:
            self._beliefs.failed(self._kinds[each], fails[each] / sum(fails.values()))
        # By Bayes' rule, from what is believed of the kinds by now.
        fails = {each: 1 - self._chance(each) for each in group}
        one_fails = 1 - math.prod(1 - each for each in fails.values())
        for each, before in fails.items():
            self._doubt[each] *= _odds(min(SURE, before / one_fails)) / _odds(before)

    def _wanted(self) -> Subset:
        """The group from which the most is expected."""
        ordered = sorted(((self._chance(each), -each) for each in self.left), reverse=True)
        chosen: list[int] = []
        for chance, negative in ordered:
            # One more is worth it while (k + 1) * p > k.
            if chosen and chance * (len(chosen) + 1) <= len(chosen):
                break
            chosen.append(-negative)
        return frozenset(chosen)

    def _chance(self, change: int) -> float:
        """That it holds."""
        odds = _odds(1 - self._beliefs.chance(self._kinds[change])) * self._doubt[change]
        return 1 / (1 + odds)


def _odds(chance: float) -> float:
    return chance / (1 - chance)


def halves(group: Subset) -> tuple[Subset, Subset]:
    """Two halves by position."""
    items = sorted(group)
    middle = (len(items) + 1) // 2
    return frozenset(items[:middle]), frozenset(items[middle:])
