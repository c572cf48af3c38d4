"""Choosing as many of a set of changes as possible, by testing groups of them. Pure.

The next group is the one from which the most is expected: what it takes away, times the chance that it
holds (`flybisect.search.beliefs`). A group that holds is kept, and what is next is chosen on top of it. One
that fails makes all that it is about less likely to hold, so that other changes come first, and then
smaller groups. A change that fails alone is out.

That is ProbDD (Wang, Shen, Chen, Xiong, Zhang, "Probabilistic Delta Debugging", ESEC/FSE 2021) with two
differences: groups are weighed by what they take away (as in WDD, ICSE 2025), and chances are shared by
changes that take the same units, and outlast the search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence

from flybisect.search.beliefs import Beliefs, Change, Unit, dependence

Subset = frozenset[int]
BESIDE = 0.1
"""What a change is worth beside its units."""
PATIENCE = 40
"""Changes in a row that do not raise the expectation, before a group is taken as it is."""
Buildable = Callable[[Subset, Subset], Subset]
"""Of changes that are wanted on top of chosen ones, those that can be made with them: all, some, or none."""


class GroupTest:
    """One search over changes `0..n-1`."""

    def __init__(self, changes: Sequence[Change], beliefs: Beliefs, buildable: Buildable) -> None:
        self._changes = changes
        self._beliefs = beliefs
        self._buildable = buildable
        self._units: dict[Unit, float] = {}
        """Logarithms of the chances that units may go."""
        self.chosen: Subset = frozenset()
        self.left = set(range(len(changes)))
        """Changes that are neither chosen nor out."""
        self.unbuilt: set[int] = set()
        """Those that could not be made on top of what was chosen."""

    def run(self, least: int = 1) -> Generator[Subset, bool, None]:
        """Yields groups that are to be tested together with `chosen`; is sent whether they hold.

        `least`: groups of fewer changes are not worth a test.
        """
        while self.left:
            alone = self._alone()
            while wanted := self._wanted(alone):
                group = self._buildable(self.chosen, wanted)
                if group:
                    break
                self.left -= wanted
                self.unbuilt |= wanted
            if not wanted or len(group) < min(least, len(self._changes)):
                return
            holds = yield group
            if holds:
                self.chosen |= group
            if holds or len(group) == 1:
                self.left -= group
            (self._beliefs.held if holds else self._beliefs.failed)(self._changes[each] for each in group)

    def _alone(self) -> list[tuple[int, float, float]]:
        """Each change that is left, its worth and its chance, those first that take much at little risk."""
        every = {unit for each in self.left for unit in self._changes[each].takes}
        self._units = {unit: math.log(self._beliefs.of_unit(unit)) for unit in every}
        found = [(each, *self._value(each, frozenset())) for each in sorted(self.left)]
        return sorted(found, key=lambda each: -each[1] * each[2] / (1 - each[2]))

    def _wanted(self, alone: Sequence[tuple[int, float, float]]) -> Subset:
        """The group from which the most is expected: the best change, and those that raise that."""
        left = [each for each in alone if each[0] in self.left]
        if not left:
            return frozenset()
        best, worth, _ = max(left, key=lambda each: each[1] * each[2])
        group, taken, refused = {best}, self._changes[best].takes, 0
        for change, _, _ in left:
            if change == best or refused == PATIENCE:
                continue
            more, factor = self._value(change, taken)
            if (worth + more) * factor > worth:
                worth, refused = worth + more, 0
                group.add(change)
                taken |= self._changes[change].takes
            else:
                refused += 1
        return frozenset(group)

    def _value(self, change: int, taken: frozenset[Unit]) -> tuple[float, float]:
        """What it takes beside `taken`, and its chance to hold then."""
        found = self._changes[change]
        fresh = found.takes - taken
        together = sum(self._units[unit] for unit in fresh) * dependence(len(fresh))
        chance = self._beliefs.of_change(found) * math.exp(together)
        return BESIDE + found.worth * len(fresh), min(chance, 1 - 1e-9)


def halves(group: Subset) -> tuple[Subset, Subset]:
    """Two halves by position."""
    items = sorted(group)
    middle = (len(items) + 1) // 2
    return frozenset(items[:middle]), frozenset(items[middle:])
