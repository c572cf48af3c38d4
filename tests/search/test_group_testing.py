from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.search.beliefs import Beliefs, Kind
from flybisect.search.group_testing import GroupTest, Subset, halves
from tests.source.profile import examples

Test = Callable[[Subset], bool]


class Asked:
    """Answers with a test, and notes the questions: what was tested in all, and what was added."""

    def __init__(self, test: Test) -> None:
        self._test = test
        self.answers: list[tuple[Subset, Subset, bool]] = []

    def run(self, search: GroupTest, least: int = 1) -> Subset:
        steps = search.run(least)
        answer: bool | None = None
        while True:
            try:
                group = next(steps) if answer is None else steps.send(answer)
            except StopIteration:
                return search.chosen
            answer = self._test(search.chosen | group)
            self.answers.append((search.chosen | group, group, answer))


def all_of(chosen: Subset, wanted: Subset) -> Subset:
    return wanted


def search(count: int, chance: float, beliefs: Beliefs | None = None) -> GroupTest:
    return GroupTest([Kind("any", 1, chance)] * count, beliefs or Beliefs(), all_of)


def without(bad: Subset) -> Test:
    """Monotone: the changes of `bad` can't be made, whatever else is."""
    return lambda subset: not subset & bad


def scrambled(salt: int, share: int) -> Test:
    """As far from monotone as can be: every subset has its own answer."""
    return lambda subset: hash((salt, *sorted(subset))) % 16 < share


chances = st.sampled_from([0.05, 0.35, 0.6, 0.97])


@st.composite
def monotone(draw: st.DrawFn) -> tuple[int, Subset]:
    count = draw(st.integers(1, 60))
    return count, frozenset(draw(st.sets(st.integers(0, count - 1), max_size=count)))


@given(monotone(), chances)
@examples(200)
def test_monotone_takes_all_that_can_be_taken(case: tuple[int, Subset], chance: float) -> None:
    count, bad = case
    asked = Asked(without(bad))
    assert asked.run(search(count, chance)) == frozenset(range(count)) - bad


@given(st.integers(1, 40), chances, st.integers(0, 10**6), st.integers(0, 16))
@examples(200)
def test_whatever_the_test_says_each_change_is_in_or_failed_alone(
    count: int, chance: float, salt: int, share: int
) -> None:
    asked = Asked(scrambled(salt, share))
    found = search(count, chance)
    chosen = asked.run(found)
    held = frozenset[int]().union(*(group for _, group, holds in asked.answers if holds))
    alone = frozenset[int]().union(
        *(group for _, group, holds in asked.answers if not holds and len(group) == 1)
    )
    assert chosen == held and chosen | alone == frozenset(range(count)) and not chosen & alone
    assert not found.left


@given(st.integers(1, 400), chances)
@examples(60)
def test_where_all_hold_steps_grow(count: int, chance: float) -> None:
    asked = Asked(lambda subset: True)
    asked.run(search(count, chance))
    assert len(asked.answers) <= 4 + 3 * math.log2(1 + count)


@given(st.integers(1, 200), st.integers(0, 3), st.randoms())
@examples(60)
def test_few_that_fail_among_many_are_cheap(count: int, fail: int, chance: object) -> None:
    bad = frozenset(range(0, count, max(1, count // max(1, fail))))
    asked = Asked(without(bad))
    asked.run(search(count, 0.97))
    assert len(asked.answers) <= 8 + 3 * math.log2(1 + count) + len(bad) * 3 * (
        1 + math.log2(1 + count / len(bad))
    )


@given(st.integers(1, 100))
@examples(30)
def test_where_none_holds_little_more_than_one_question_each(count: int) -> None:
    asked = Asked(lambda subset: not subset)
    asked.run(search(count, 0.6))
    assert len(asked.answers) <= count + 6


def test_what_was_learned_of_a_kind_outlasts_a_search() -> None:
    beliefs = Beliefs()
    Asked(lambda subset: not subset).run(search(20, 0.97, beliefs))
    later = Asked(lambda subset: not subset)
    later.run(search(20, 0.97, beliefs))
    assert all(len(group) == 1 for _, group, _ in later.answers)
    fresh = Asked(lambda subset: True)
    fresh.run(search(20, 0.97))
    assert len(fresh.answers[0][1]) == 20


def test_kinds_of_one_family_stand_in_for_one_another() -> None:
    beliefs = Beliefs()
    small, large = Kind("pass", 1, 0.5), Kind("pass", 6, 0.5)
    for _ in range(20):
        beliefs.held(small)
    assert beliefs.chance(large) > 0.8
    for _ in range(20):
        beliefs.failed(large)
    assert beliefs.chance(large) < 0.3 < 0.8 < beliefs.chance(small)


def test_a_copy_learns_apart() -> None:
    beliefs, kind = Beliefs(), Kind("pass", 1, 0.5)
    other = beliefs.copy()
    for _ in range(10):
        other.failed(kind)
    assert beliefs.chance(kind) == 0.5 > other.chance(kind)


def test_groups_too_small_to_be_worth_a_test_are_left() -> None:
    asked = Asked(lambda subset: False)
    found = search(20, 0.97)
    assert asked.run(found, least=5) == frozenset()
    assert all(len(group) >= 5 for _, group, _ in asked.answers) and found.left


@given(st.integers(2, 30), st.integers(0, 10**6))
@examples(60)
def test_what_cannot_be_made_with_others_is_left_out_and_said(count: int, salt: int) -> None:
    """Two of the same colour can't be made together."""

    def apart(chosen: Subset, wanted: Subset) -> Subset:
        taken = {colour(each) for each in chosen}
        group: set[int] = set()
        for each in sorted(wanted):
            if colour(each) not in taken:
                taken.add(colour(each))
                group.add(each)
        return frozenset(group)

    def colour(each: int) -> int:
        return hash((salt, each)) % 5

    found = GroupTest([Kind("any", 1, 0.9)] * count, Beliefs(), apart)
    chosen = Asked(lambda subset: True).run(found)
    assert len({colour(each) for each in chosen}) == len(chosen)
    assert chosen | found.unbuilt == frozenset(range(count))


@pytest.mark.parametrize("count", range(1, 9))
def test_halves(count: int) -> None:
    one, other = halves(frozenset(range(count)))
    assert one | other == frozenset(range(count)) and not one & other and len(one) - len(other) in (0, 1)
