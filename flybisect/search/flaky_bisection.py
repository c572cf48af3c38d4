"""Bisection where the answer may differ from run to run. Pure.

An entry that showed the bug once has it: BAD is what was seen, GOOD is what was not. So only GOOD is in
doubt. The endpoints are run more than once at the start, and so are the two entries of every answer, which
is where it would be wrong: a bad entry that counts as good moves the answer to itself or behind. As soon as
one is seen to be flaky, its reproduction rate is measured, and from then on an entry counts as GOOD after as
many clean runs as that rate takes (`flybisect.search.reproduction_rate`); those that had fewer get the rest.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from flybisect.search.bisect import Found, Refused, Side, bisect
from flybisect.search.reproduction_rate import MEASURED, Rate

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Tally:
    """What one entry showed, in numbers of runs."""

    good: int = 0
    bad: int = 0
    unclear: int = 0

    @property
    def runs(self) -> int:
        return self.good + self.bad + self.unclear

    @property
    def rate(self) -> Rate:
        """Of the runs that could be judged."""
        return Rate(self.bad, self.good + self.bad)

    @property
    def flaky(self) -> bool:
        return bool(self.good and self.bad)

    def and_one(self, side: Side) -> Tally:
        """With one run more."""
        return Tally(
            self.good + (side is Side.GOOD), self.bad + (side is Side.BAD), self.unclear + (side is Side.SKIP)
        )


UNSEEN = Tally()


class FlakyTally(Generic[Key]):
    """Runs entries as often as they need. Different ones may be settled in several threads at once."""

    def __init__(
        self,
        run: Callable[[Key], Side],
        extra: Callable[[Key], int],
        measured: Callable[[Key, Rate], None] = lambda key, rate: None,
        counted: Callable[[Key, Tally], None] = lambda key, tally: None,
    ) -> None:
        """`extra`: how many runs `repeat` takes beside the first. `measured` is called with each rate that
        was measured, `counted` after each run."""
        self._run = run
        self._extra = extra
        self._measured = measured
        self._counted = counted
        self._lock = threading.Lock()
        self.tallies: dict[Key, Tally] = {}
        """May be filled with what is known."""
        self.endpoints: frozenset[Key] = frozenset()
        """They count as GOOD even where clean runs of others say nothing."""
        self.clean_runs = 1
        """After so many an entry counts as GOOD."""
        self.rates: dict[Key, Rate] = {}
        """Of those that are flaky."""
        self.rare: Key | None = None
        """One that shows the bug so seldom that clean runs of another say nothing."""

    def side(self, key: Key) -> Side | None:
        """As far as it is known; None where that needs more runs."""
        tally = self.tallies.get(key, UNSEEN)
        if tally.bad:
            return Side.BAD
        if tally.good >= self.clean_runs:
            return Side.GOOD if self.rare is None or key in self.endpoints else Side.SKIP
        if tally.unclear and (not tally.good or tally.unclear > self.clean_runs):
            return Side.SKIP
        return None

    def settle(self, key: Key) -> Side:
        """By as many runs as it takes. A flaky one is measured."""
        while (side := self.side(key)) is None:
            self._once(key)
        if self.tallies[key].flaky and key not in self.rates:
            self._measure(key)
        return side

    def repeat(self, key: Key) -> Side:
        """The same after more runs, unless it had them or can't be judged."""
        wanted = 1 + self._extra(key)
        while self.settle(key) is not Side.SKIP and self.tallies[key].runs < wanted:
            self._once(key)
        return self.settle(key)

    def _once(self, key: Key) -> None:
        self.tallies[key] = self.tallies.get(key, UNSEEN).and_one(self._run(key))
        self._counted(key, self.tallies[key])

    def _measure(self, key: Key) -> None:
        while self.tallies[key].rate.runs < MEASURED and self.tallies[key].unclear < MEASURED:
            self._once(key)
        rate = self.tallies[key].rate
        with self._lock:
            self.rates[key] = rate
            if rate.repeats is None:
                self.rare = key if self.rare is None else self.rare
            else:
                self.clean_runs = max(self.clean_runs, rate.repeats)
        self._measured(key, rate)


class Testable(Protocol):
    """A list whose entries a `FlakyTally` settles."""

    def ask(self, places: Sequence[int]) -> Sequence[Side]: ...

    def repeat(self, at: int) -> None:
        """Settle it by more runs."""
        ...

    def known(self) -> Mapping[int, Side]:
        """What needs no more runs."""
        ...


def bisect_flaky(
    count: int, entries: Testable, *, jobs: int = 1, costly: Callable[[int], bool] | None = None
) -> Found | Refused:
    """As `bisect`, until the two entries of the answer say the same when they are run again.

    Ends, since every round makes an entry BAD that was not, or asks for more runs of one.
    """
    ends = 0, count - 1
    answer: tuple[int, int] | None = None
    for at in ends:
        entries.repeat(at)
    while True:
        entries.ask(ends)
        found = bisect(count, entries.ask, known=entries.known(), jobs=jobs, costly=costly)
        if isinstance(found, Refused):
            return found
        if (found.before, found.after) == answer and entries.known().keys() >= set(answer):
            return found
        answer = found.before, found.after
        for at in answer:
            entries.repeat(at)
