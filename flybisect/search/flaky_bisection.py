"""Bisection where an answer may differ from look to look. Pure.

An entry that showed the bug once has it: BAD is what was seen, GOOD is what was not. So only GOOD is in
doubt. The ends are looked at more than once at the start, and so are the two entries of every answer, which
is where it would be wrong: a bad entry that was taken for a good one moves the answer to itself or behind.
As soon as one is seen to flip, its rate is measured, and from then on an entry counts as GOOD after as many
looks without the bug as that rate takes (`flybisect.search.reproduction_rate`); those that had fewer get the
rest.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from flybisect.search.bisect import Ask, Found, Refused, Side
from flybisect.search.reproduction_rate import MEASURED, Rate

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Tally:
    """What one entry showed, in numbers of looks."""

    good: int = 0
    bad: int = 0
    unclear: int = 0

    @property
    def looks(self) -> int:
        return self.good + self.bad + self.unclear

    @property
    def rate(self) -> Rate:
        """Of the looks that told something."""
        return Rate(self.bad, self.good + self.bad)

    @property
    def flips(self) -> bool:
        return bool(self.good and self.bad)

    def and_one(self, side: Side) -> Tally:
        """With one look more."""
        return Tally(
            self.good + (side is Side.GOOD), self.bad + (side is Side.BAD), self.unclear + (side is Side.SKIP)
        )


UNSEEN = Tally()


class FlakyTally(Generic[Key]):
    """Looks at entries as often as they need. Different ones may be settled in several threads at once."""

    def __init__(
        self,
        look: Callable[[Key], Side],
        more: Callable[[Key], int],
        told: Callable[[Key, Rate], None] = lambda key, rate: None,
        noted: Callable[[Key, Tally], None] = lambda key, tally: None,
    ) -> None:
        """`more`: how many looks `again` takes beside the first. `told`: of a rate that was measured.
        `noted`: of each look."""
        self._look_at = look
        self._more = more
        self._told = told
        self._noted = noted
        self._lock = threading.Lock()
        self.tallies: dict[Key, Tally] = {}
        """May be filled with what is known."""
        self.ends: frozenset[Key] = frozenset()
        """Taken for GOOD where nothing can be told by the absence of the bug."""
        self.runs = 1
        """Looks without the bug after which an entry counts as GOOD."""
        self.rates: dict[Key, Rate] = {}
        """Of those that flip."""
        self.rare: Key | None = None
        """One that shows the bug too rarely for its absence in another to say anything."""

    def side(self, key: Key) -> Side | None:
        """As far as it is known; None where that needs more looks."""
        tally = self.tallies.get(key, UNSEEN)
        if tally.bad:
            return Side.BAD
        if tally.good >= self.runs:
            told = self.rare is None or key in self.ends
            return Side.GOOD if told else Side.SKIP
        if tally.unclear and (not tally.good or tally.unclear > self.runs):
            return Side.SKIP
        return None

    def settle(self, key: Key) -> Side:
        """By as many looks as it takes. One that flips is measured."""
        while (side := self.side(key)) is None:
            self._look(key)
        if self.tallies[key].flips and key not in self.rates:
            self._measure(key)
        return side

    def again(self, key: Key) -> Side:
        """The same after more looks, unless it had them or can't be judged."""
        wanted = 1 + self._more(key)
        while self.settle(key) is not Side.SKIP and self.tallies[key].looks < wanted:
            self._look(key)
        return self.settle(key)

    def _look(self, key: Key) -> None:
        self.tallies[key] = self.tallies.get(key, UNSEEN).and_one(self._look_at(key))
        self._noted(key, self.tallies[key])

    def _measure(self, key: Key) -> None:
        while self.tallies[key].rate.runs < MEASURED and self.tallies[key].unclear < MEASURED:
            self._look(key)
        rate = self.tallies[key].rate
        with self._lock:
            self.rates[key] = rate
            if rate.repeats is None:
                self.rare = key if self.rare is None else self.rare
            else:
                self.runs = max(self.runs, rate.repeats)
        self._told(key, rate)


class Entries(Protocol):
    """A list whose entries a `FlakyTally` settles."""

    def ask(self, places: Sequence[int]) -> Sequence[Side]: ...

    def again(self, at: int) -> None:
        """Settle it by more looks."""
        ...

    def known(self) -> Mapping[int, Side]:
        """What needs no more looks."""
        ...


Search = Callable[[Ask, Mapping[int, Side]], "Found | Refused"]
"""A bisection that asks for what is not known."""


def bisect_flaky(count: int, search: Search, entries: Entries) -> Found | Refused:
    """Searches until the two entries of the answer say the same when they are looked at again.

    Ends, since every round makes an entry BAD that was not, or asks for more looks of one.
    """
    ends = 0, count - 1
    answer: tuple[int, int] | None = None
    for at in ends:
        entries.again(at)
    while True:
        entries.ask(ends)
        found = search(entries.ask, entries.known())
        if isinstance(found, Refused):
            return found
        if (found.before, found.after) == answer and entries.known().keys() >= set(answer):
            return found
        answer = found.before, found.after
        for at in answer:
            entries.again(at)
