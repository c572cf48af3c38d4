"""Bisection over histories whose answers flip."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flybisect.search.bisect import Found, Refused, Side, Why, bisect
from flybisect.search.flaky_bisection import FlakyTally, Tally, bisect_flaky
from flybisect.search.reproduction_rate import (
    AT_START,
    MEASURED,
    MOST,
    Rate,
)

GOOD, BAD, SKIP = Side.GOOD, Side.BAD, Side.SKIP


class History:
    """Entries that show the bug in a part of their runs each, as `rates` has it; None can't be judged."""

    def __init__(self, rates: Sequence[float | None], seed: int = 0, jobs: int = 1) -> None:
        self._rates = rates
        self._rolls = random.Random(seed)
        self._jobs = jobs
        self.flaky: FlakyTally[int] = FlakyTally(self._run, lambda at: AT_START)
        self.flaky.endpoints = frozenset({0, len(rates) - 1})

    def _run(self, at: int) -> Side:
        rate = self._rates[at]
        if rate is None:
            return SKIP
        return BAD if self._rolls.random() < rate else GOOD

    def ask(self, places: Sequence[int]) -> Sequence[Side]:
        return [self.flaky.settle(at) for at in places]

    def repeat(self, at: int) -> None:
        self.flaky.repeat(at)

    def known(self) -> Mapping[int, Side]:
        sides = {at: self.flaky.side(at) for at in self.flaky.tallies}
        return {at: side for at, side in sides.items() if side is not None}

    def found(self) -> Found | Refused:
        return bisect_flaky(len(self._rates), self, jobs=self._jobs)

    @property
    def runs(self) -> int:
        return sum(tally.runs for tally in self.flaky.tallies.values())


RATES = st.sampled_from([0.3, 0.5, 0.7, 0.9, 1.0])


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[float | None], int, bool]:
    """One change at a known place, entries that can't be judged; and whether the bug came, or went."""
    count = draw(st.integers(2, 40))
    change = draw(st.integers(1, count - 1))
    came = draw(st.booleans())
    rates: list[float | None] = [0.0] * count
    for at in range(change, count) if came else range(change):
        rates[at] = draw(RATES)
    for at in draw(st.sets(st.integers(1, count - 2), max_size=3)) if count > 2 else ():
        rates[at] = None
    return rates, change, came


@settings(max_examples=300)
@given(histories(), st.integers(0, 10**6), st.integers(1, 4))
def test_an_answer_is_what_was_seen_often_enough(
    drawn: tuple[list[float | None], int, bool], seed: int, jobs: int
) -> None:
    rates, _, came = drawn
    history = History(rates, seed, jobs)
    found = history.found()
    tallies, flaky = history.flaky.tallies, history.flaky
    if isinstance(found, Refused):
        assert found.why is Why.ALIKE  # the end that has it did not show it
        assert not any(tallies[at].bad for at in flaky.endpoints)
        return
    good, bad = (found.before, found.after) if came else (found.after, found.before)
    assert tallies[bad].bad and tallies[bad].runs >= 1 + AT_START
    assert not tallies[good].bad
    assert tallies[good].good >= max(flaky.clean_runs, 1 + AT_START)
    assert flaky.clean_runs <= MOST
    for tally in tallies.values():
        assert not tally.flaky or tally.rate.runs >= MEASURED
    for rate in flaky.rates.values():
        assert rate.repeats is None or flaky.clean_runs >= rate.repeats
    if flaky.rare is not None:
        assert good in flaky.endpoints


@given(st.integers(2, 60), st.data())
def test_what_never_flips_costs_a_few_looks_more(count: int, data: st.DataObject) -> None:
    change = data.draw(st.integers(1, count - 1))
    rates = [0.0] * change + [1.0] * (count - change)
    history, asked = History(rates), set[int]()

    def ask(places: Sequence[int]) -> list[Side]:
        asked.update(places)
        return [BAD if at >= change else GOOD for at in places]

    plain = bisect(count, ask)
    found = history.found()
    assert isinstance(plain, Found) and isinstance(found, Found)
    assert (found.before, found.after) == (plain.before, plain.after) == (change - 1, change)
    again = {0, count - 1, change - 1, change}
    assert history.runs == len(asked) + AT_START * len(again)
    assert history.flaky.clean_runs == 1 and not history.flaky.rates


@pytest.mark.parametrize("rate", [0.4, 0.6, 0.8, 0.95])
def test_the_change_is_rarely_missed(rate: float) -> None:
    """What is missed at most is told for the answer's good entry; over many histories it holds."""
    wrong = judged = 0
    for seed in range(400):
        change = 1 + seed % 29
        found = History([0.0] * change + [rate] * (30 - change), seed).found()
        if isinstance(found, Found):
            judged += 1
            wrong += change not in found.suspects
    assert judged > 300
    assert wrong <= 0.03 * judged


def test_a_bug_that_is_rare_in_the_middle_leaves_a_range() -> None:
    """Nobody can tell by a look where one entry shows it in one of very many."""
    rates = [0.0] * 8 + [0.05] * 8 + [1.0] * 8
    ranges = 0
    for seed in range(200):
        history = History(rates, seed)
        found = history.found()
        assert isinstance(found, Found)
        if history.flaky.rare is not None:
            ranges += 1
            assert found.before == 0 and not found.exact
            assert 8 <= history.flaky.rare < 16
    assert ranges


def test_both_ends_that_show_it_are_alike() -> None:
    found = History([0.9, 0.0, 1.0]).found()
    assert isinstance(found, Refused) and found.why is Why.ALIKE


def test_a_bug_that_is_rare_in_the_end_is_known() -> None:
    seed = next(seed for seed in range(100) if random.Random(seed).random() < 0.02)
    history = History([0.02, 0.0], seed)
    history.repeat(0)
    assert history.flaky.rare == 0
    assert history.flaky.rates[0].repeats is None


def test_a_look_that_tells_nothing_makes_no_difference() -> None:
    answers = iter([GOOD, SKIP, GOOD, BAD])
    flaky: FlakyTally[str] = FlakyTally(lambda key: next(answers), lambda key: 2)
    assert flaky.repeat("x") is GOOD
    assert flaky.tallies["x"] == Tally(2, 0, 1)


def test_what_can_not_be_judged_often_enough_is_skipped() -> None:
    flaky: FlakyTally[str] = FlakyTally(lambda key: SKIP, lambda key: 2)
    flaky.tallies["x"], flaky.clean_runs = Tally(good=1), 3
    assert flaky.settle("x") is SKIP
    assert flaky.tallies["x"].unclear == 4


def test_a_flip_is_told_once_with_its_rate() -> None:
    answers = iter([BAD, GOOD] * MEASURED)
    told: list[tuple[str, Rate]] = []
    flaky: FlakyTally[str] = FlakyTally(
        lambda key: next(answers), lambda key: 2, lambda key, rate: told.append((key, rate))
    )
    assert flaky.repeat("x") is BAD and flaky.repeat("x") is BAD
    assert told == [("x", Rate(MEASURED // 2, MEASURED))]
    assert flaky.clean_runs == Rate(MEASURED // 2, MEASURED).repeats
