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
Buildable = Callable[[Subset, Subset], Subset]
"""Of changes that are wanted on top of chosen ones, those that can be made with them: all, some, or none."""


class GroupTest:
    """One search over changes `0..n-1`."""

    def __init__(self, changes: Sequence[Change], beliefs: Beliefs, buildable: Buildable) -> None:
        self._changes = changes
        self._beliefs = beliefs
        self._buildable = buildable
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
            wanted = self._wanted()
            group = self._buildable(self.chosen, wanted)
            if not group:
                self.left -= wanted
                self.unbuilt |= wanted
                continue
            if len(group) < min(least, len(self._changes)):
                return
            holds = yield group
            if holds:
                self.chosen |= group
            if holds or len(group) == 1:
                self.left -= group
            (self._beliefs.held if holds else self._beliefs.failed)(self._changes[each] for each in group)

    def _wanted(self) -> Subset:
        """The group from which the most is expected: the best change, then those that raise the expectation,
        the ones first that take much at little risk."""
        every = {unit for each in self.left for unit in self._changes[each].takes}
        units = {unit: math.log(self._beliefs.of_unit(unit)) for unit in every}
        alone = {each: self._value(each, frozenset(), units) for each in self.left}
        best = max(sorted(self.left), key=lambda each: alone[each][0] * alone[each][1])
        worth, chance = alone[best]
        group, taken = {best}, self._changes[best].takes
        ordered = sorted(self.left - {best}, key=lambda each: (-alone[each][0] / (1 - alone[each][1]), each))
        for each in ordered:
            more, factor = self._value(each, taken, units)
            if (worth + more) * factor > worth:
                worth, chance = worth + more, chance * factor
                group.add(each)
                taken |= self._changes[each].takes
        return frozenset(group)

    def _value(self, change: int, taken: frozenset[Unit], units: dict[Unit, float]) -> tuple[float, float]:
        """What it takes beside `taken`, and its chance to hold then. `units`: logarithms of chances."""
        found = self._changes[change]
        fresh = found.takes - taken
        together = sum(units[unit] for unit in fresh) * dependence(len(fresh))
        chance = self._beliefs.of_change(found) * math.exp(together)
        return BESIDE + found.worth * len(fresh), min(chance, 1 - 1e-9)


def halves(group: Subset) -> tuple[Subset, Subset]:
    """Two halves by position."""
    items = sorted(group)
    middle = (len(items) + 1) // 2
    return frozenset(items[:middle]), frozenset(items[middle:])
