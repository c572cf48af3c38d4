"""How likely changes are to hold, learned from the answers of one search.

A change has a kind (its pass, how much it takes away). What is believed of a kind begins with a chance that is
given, counts as few answers, and follows the answers that come: of the kind itself, and of its family, which
stands in for a kind that has few. So a search that goes well takes large steps, and one that does not small ones.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from dataclasses import dataclass, field

FAMILY, KIND = 3.0, 4.0
"""Answers that the given chance counts for in a family, and that the family counts for in a kind."""
LEAST, MOST = 0.02, 0.998
"""No chance is believed to be smaller or larger."""


@dataclass
class _Answers:
    held: float = 0.0
    all: float = 0.0

    def mean(self, before: float, weight: float) -> float:
        return (self.held + weight * before) / (self.all + weight)


@dataclass(frozen=True)
class Kind:
    """What changes have in common that are likely to hold alike."""

    family: str
    scale: int
    """Of what it takes away, in powers of two."""
    chance: float
    """That one holds, before anything is known."""


@dataclass
class Beliefs:
    """What was learned in one search."""

    _families: defaultdict[str, _Answers] = field(default_factory=lambda: defaultdict(_Answers))
    _kinds: defaultdict[tuple[str, int], _Answers] = field(default_factory=lambda: defaultdict(_Answers))

    def chance(self, kind: Kind) -> float:
        """That a change of this kind holds."""
        family = self._families[kind.family].mean(kind.chance, FAMILY)
        found = self._kinds[kind.family, kind.scale].mean(family, KIND)
        return min(MOST, max(LEAST, found))

    def held(self, kind: Kind) -> None:
        """A change of this kind held, alone or in a group."""
        self._note(kind, 1.0)

    def failed(self, kind: Kind, share: float = 1.0) -> None:
        """One failed; `share`: how likely it is that it was this one that made its group fail."""
        self._note(kind, 0.0, share)

    def copy(self) -> Beliefs:
        return copy.deepcopy(self)

    def _note(self, kind: Kind, held: float, weight: float = 1.0) -> None:
        for answers in (self._families[kind.family], self._kinds[kind.family, kind.scale]):
            answers.held += held * weight
            answers.all += weight
