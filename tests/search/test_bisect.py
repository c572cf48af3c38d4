from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.search.bisect import SPARE, Found, Refused, Side, Why, bisect

GOOD, BAD, SKIP = Side.GOOD, Side.BAD, Side.SKIP


class Asked:
    """A history that counts what is asked of it."""

    def __init__(self, history: Sequence[Side]) -> None:
        self.history = history
        self.asked: list[int] = []
        self.rounds: list[list[int]] = []

    def __call__(self, wanted: Sequence[int]) -> list[Side]:
        self.rounds.append(list(wanted))
        self.asked += wanted
        return [self.history[at] for at in wanted]


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Side], int]:
    """One change, at a known place, with entries inside that can't be tested."""
    count = draw(st.integers(2, 60))
    change = draw(st.integers(1, count - 1))
    first, last = draw(st.permutations([GOOD, BAD]))
    history = [first if at < change else last for at in range(count)]
    for at in draw(st.sets(st.integers(1, count - 2), max_size=count)) if count > 2 else ():
        history[at] = SKIP
    return history, change


@given(histories(), st.integers(1, 5))
def test_the_change_is_always_among_the_suspects(drawn: tuple[list[Side], int], jobs: int) -> None:
    history, change = drawn
    asked = Asked(history)
    found = bisect(len(history), asked, jobs=jobs)
    assert isinstance(found, Found)
    assert change in found.suspects
    assert history[found.before] is history[0] and history[found.after] is history[-1]
    assert all(history[at] is SKIP for at in range(found.before + 1, found.after))
    assert found.monotone
    assert asked.rounds[0] == [0, len(history) - 1]
    assert len(asked.asked) == len(set(asked.asked))
    assert all(len(wanted) <= max(2, jobs) for wanted in asked.rounds)


@given(histories())
def test_how_many_are_asked_at_once_does_not_change_the_answer(drawn: tuple[list[Side], int]) -> None:
    history, _ = drawn
    ranges = set()
    for jobs in (1, 2, 3):
        found = bisect(len(history), Asked(history), jobs=jobs)
        assert isinstance(found, Found)
        ranges.add((found.before, found.after))
    assert len(ranges) == 1


@given(st.integers(2, 2000), st.data())
def test_questions_grow_with_the_logarithm(count: int, data: st.DataObject) -> None:
    change = data.draw(st.integers(1, count - 1))
    asked = Asked([GOOD] * change + [BAD] * (count - change))
    found = bisect(count, asked)
    assert isinstance(found, Found) and found.exact and found.after == change
    assert len(asked.asked) <= math.ceil(math.log2(count - 1)) + 2


@given(st.integers(100, 1000), st.data())
def test_a_stretch_that_can_not_be_tested_is_gone_around(count: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(1, count - 2))
    stop = data.draw(st.integers(start, min(count - 1, start + count // 2)))
    change = data.draw(st.one_of(st.integers(1, start), st.integers(min(stop + 1, count - 1), count - 1)))
    history = [GOOD] * change + [BAD] * (count - change)
    history[start:stop] = [SKIP] * (stop - start)
    if history[change - 1] is SKIP or history[change] is SKIP:
        return
    asked = Asked(history)
    found = bisect(count, asked)
    assert isinstance(found, Found) and found.exact and found.after == change
    assert len(asked.asked) <= 4 * math.ceil(math.log2(count)) + 4


@given(st.lists(st.sampled_from(list(Side)), min_size=2, max_size=40), st.integers(1, 4))
def test_any_history_ends_and_gives_a_true_pair(history: list[Side], jobs: int) -> None:
    found = bisect(len(history), Asked(history), jobs=jobs)
    ends = history[0], history[-1]
    if SKIP in ends:
        assert isinstance(found, Refused) and found.why is Why.UNTESTABLE
    elif ends[0] is ends[1]:
        assert isinstance(found, Refused) and found.why is Why.ALIKE
    else:
        assert isinstance(found, Found)
        assert history[found.before] is ends[0] and history[found.after] is ends[1]
        assert all(history[at] is SKIP for at in range(found.before + 1, found.after))


@given(st.lists(st.sampled_from(list(Side)), min_size=2, max_size=40), st.data())
def test_what_is_known_is_not_asked(history: list[Side], data: st.DataObject) -> None:
    places = data.draw(st.sets(st.integers(0, len(history) - 1)))
    asked = Asked(history)
    found = bisect(len(history), asked, known={at: history[at] for at in places})
    assert not places & set(asked.asked)
    assert all(found.answers[at] is history[at] for at in found.answers)


def test_a_history_that_flips_is_seen_where_it_was_tested() -> None:
    history = [GOOD, BAD, GOOD, GOOD, BAD, BAD]
    found = bisect(6, Asked(history), known={1: BAD, 2: GOOD})
    assert isinstance(found, Found)
    assert found.changes == ((0, 1), (1, 2), (3, 4))
    assert not found.monotone
    assert (found.before, found.after) == (3, 4)


def test_where_only_skipped_ones_remain_the_answer_is_a_range() -> None:
    found = bisect(6, Asked([BAD, BAD, SKIP, SKIP, GOOD, GOOD]))
    assert isinstance(found, Found)
    assert not found.exact
    assert list(found.suspects) == [2, 3, 4]


def test_a_list_has_two_ends() -> None:
    with pytest.raises(ValueError, match="two endpoints"):
        bisect(1, Asked([GOOD]))


def test_entries_that_can_not_be_tested_here_and_there_cost_little() -> None:
    """A third of 300 at random: `git bisect run` takes 12 questions in the mean, its ends not counted."""
    chance = random.Random(1)
    asked = []
    for _ in range(100):
        change = chance.randrange(1, 300)
        history = [GOOD] * change + [BAD] * (300 - change)
        for at in chance.sample(range(1, 299), 100):
            history[at] = SKIP
        questions = Asked(history)
        bisect(300, questions)
        asked.append(len(questions.asked) - 2)
    assert sum(asked) / len(asked) < 12


class Costly:
    """Changes before `change`; remembers what it was asked."""

    def __init__(self, count: int, change: int, skips: frozenset[int] = frozenset()) -> None:
        self.count, self.change, self.skips = count, change, skips - {0, count - 1}
        self.asked: list[int] = []

    def side(self, at: int) -> Side:
        if at in self.skips:
            return Side.SKIP
        return Side.GOOD if at < self.change else Side.BAD

    def ask(self, places: Sequence[int]) -> list[Side]:
        self.asked += places
        return [self.side(at) for at in places]

    @property
    def ends(self) -> dict[int, Side]:
        return {at: self.side(at) for at in (0, self.count - 1)}


@given(data=st.data(), count=st.integers(2, 200))
def test_cheap_entries_take_one_question_more_at_most(data: st.DataObject, count: int) -> None:
    change = data.draw(st.integers(1, count - 1))
    costly = data.draw(st.frozensets(st.integers(0, count - 1)))
    made = Costly(count, change)
    found = bisect(count, made.ask, known=made.ends, costly=costly.__contains__)
    assert isinstance(found, Found) and found.exact and found.after == change
    assert len(set(made.asked)) == len(made.asked) <= (count - 2).bit_length() + SPARE


@given(data=st.data(), count=st.integers(2, 60))
def test_with_untestable_entries_costs_do_not_change_the_answer(data: st.DataObject, count: int) -> None:
    change = data.draw(st.integers(1, count - 1))
    places = st.frozensets(st.integers(0, count - 1))
    costly, skips = data.draw(places), data.draw(places)
    made = Costly(count, change, skips)
    found = bisect(count, made.ask, known=made.ends, costly=costly.__contains__)
    plain = bisect(count, Costly(count, change, skips).ask)
    assert isinstance(found, Found) and isinstance(plain, Found)
    assert (found.before, found.after) == (plain.before, plain.after)
    assert len(set(made.asked)) == len(made.asked)


def test_a_neighbour_of_the_middle_that_costs_nothing_is_taken() -> None:
    made = Costly(32, 27)
    free = {19, *range(27, 32)}
    bisect(32, made.ask, known=made.ends, costly=lambda at: at not in free)
    assert made.asked == [19, 27, 23, 25, 26]
