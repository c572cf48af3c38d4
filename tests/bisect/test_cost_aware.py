from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from flybisect.bisect.cost_aware import SPARE, bisect_cheaply
from flybisect.search.bisect import Found, Side, bisect


class List:
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
def test_it_finds_the_change_with_one_question_more_at_most(data: st.DataObject, count: int) -> None:
    change = data.draw(st.integers(1, count - 1))
    costly = data.draw(st.frozensets(st.integers(0, count - 1)))
    made = List(count, change)
    found = bisect_cheaply(count, made.ask, costly.__contains__, made.ends)
    assert isinstance(found, Found) and found.exact and found.after == change
    assert len(set(made.asked)) == len(made.asked) <= (count - 2).bit_length() + SPARE


@given(data=st.data(), count=st.integers(2, 60))
def test_with_entries_that_cannot_be_tested_it_finds_what_bisect_finds(
    data: st.DataObject, count: int
) -> None:
    change = data.draw(st.integers(1, count - 1))
    places = st.frozensets(st.integers(0, count - 1))
    costly, skips = data.draw(places), data.draw(places)
    made = List(count, change, skips)
    found = bisect_cheaply(count, made.ask, costly.__contains__, made.ends)
    plain = bisect(count, List(count, change, skips).ask)
    assert isinstance(found, Found) and isinstance(plain, Found)
    assert (found.before, found.after) == (plain.before, plain.after)
    assert len(set(made.asked)) == len(made.asked)


def test_a_neighbour_of_the_middle_that_costs_nothing_is_taken() -> None:
    made = List(32, 27)
    free = {19, *range(27, 32)}
    bisect_cheaply(32, made.ask, lambda at: at not in free, made.ends)
    assert made.asked == [19, 27, 23, 25, 26]
