"""How likely changes are to hold, learned from the answers of one search. Pure.

A change has a kind, and takes units of the input away. It holds when it is of use as such, and when none of
its units has to stay; each of these has a chance of its own. What is believed begins with chances that are
given, which count as a few answers, and follows the answers that come. A failure is shared among all that
may have caused it, by Bayes' rule. So a unit that was in many failures is left alone, and a search that
goes well takes large steps.

Units with probabilities are from ProbDD, see `flybisect.search.group_testing`. Here they outlast one
search, and a change may take any set of them, where delta debugging takes any subset.
"""

from __future__ import annotations

import copy
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Unit: TypeAlias = str

KINDS_COUNT, UNITS_COUNT = 3.0, 12.0
"""Answers that a given chance counts for."""
UNIT = 0.9
"""Chance that a unit may go, before anything is known."""
LEAST, MOST = 0.02, 0.995
"""No chance is believed to be smaller or larger."""


@dataclass(frozen=True)
class Kind:
    """What changes have in common that are likely to hold alike."""

    name: str
    chance: float
    """That one holds whose units may all go, before anything is known."""


@dataclass(frozen=True)
class Change:
    """One that may be made."""

    name: str
    """Differs from that of every other change and unit."""
    kind: Kind
    takes: frozenset[Unit] = frozenset()
    worth: float = 1.0
    """Of each of its units."""


@dataclass
class _Answers:
    held: float = 0.0
    all: float = 0.0

    def add(self, weight: float, *, held: bool) -> None:
        self.held += weight * held
        self.all += weight

    def mean(self, before: float, weight: float) -> float:
        return min(MOST, max(LEAST, (self.held + weight * before) / (self.all + weight)))


@dataclass
class Beliefs:
    """What was learned in one search."""

    _kinds: defaultdict[str, _Answers] = field(default_factory=lambda: defaultdict(_Answers))
    _units: _Answers = field(default_factory=_Answers)
    _odds: dict[Unit, float] = field(default_factory=dict)
    """By change and unit: how much the odds that it has to stay have grown by failures."""

    def of_change(self, change: Change) -> float:
        """That it holds where its units may go."""
        return self._doubted(change.name, self._kinds[change.kind.name].mean(change.kind.chance, KINDS_COUNT))

    def of_unit(self, unit: Unit) -> float:
        """That it may go."""
        return self._doubted(unit, self._units.mean(UNIT, UNITS_COUNT))

    def chance(self, changes: Iterable[Change]) -> float:
        """That changes hold together."""
        return math.prod(self._factors(tuple(changes)).values())

    def held(self, changes: Iterable[Change]) -> None:
        """They were made."""
        changes = tuple(changes)
        for change in changes:
            self._kinds[change.kind.name].add(1.0, held=True)
        for unit in frozenset[Unit]().union(*(change.takes for change in changes)):
            self._units.add(1.0, held=True)
            self._odds.pop(unit, None)

    def failed(self, changes: Iterable[Change]) -> None:
        """They could not be made together."""
        changes = tuple(changes)
        kinds = {change.name: change.kind.name for change in changes}
        blame = {each: 1 - chance for each, chance in self._factors(changes).items()}
        total = sum(blame.values())
        for each, share in blame.items():
            answers = self._kinds[kinds[each]] if each in kinds else self._units
            answers.add(share / total, held=False)
        # By Bayes' rule, from what is believed by now.
        factors = self._factors(changes)
        fails = 1 - math.prod(factors.values())
        for each, chance in factors.items():
            after = min(MOST, (1 - chance) / fails)
            self._odds[each] = self._odds.get(each, 1.0) * _odds(after) / _odds(1 - chance)

    def copy(self) -> Beliefs:
        return copy.deepcopy(self)

    def _factors(self, changes: Sequence[Change]) -> dict[str, float]:
        """What has to come true for the changes to hold: that each holds as such, that each unit may go."""
        found = {change.name: self.of_change(change) for change in changes}
        for change in changes:
            fresh = change.takes - found.keys()
            found |= {unit: self.of_unit(unit) ** dependence(len(fresh)) for unit in fresh}
        return found

    def _doubted(self, name: str, chance: float) -> float:
        return 1 / (1 + (1 - chance) / chance * self._odds.get(name, 1.0))


def dependence(units: int) -> float:
    """The power of a unit's chance that counts in a change of so many units.

    What has to stay lies together: of a large change the units are mostly all of use or all of none. With
    chances apart from one another, no large change would ever be worth a test.
    """
    return units**-0.5 if units else 1.0


def _odds(chance: float) -> float:
    return chance / (1 - chance)
