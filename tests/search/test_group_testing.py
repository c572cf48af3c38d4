from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.search.beliefs import Beliefs, Change, Kind
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
    return GroupTest(
        [Change(f"change {at}", Kind("any", chance)) for at in range(count)], beliefs or Beliefs(), all_of
    )


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
    assert len(later.answers[0][1]) == 1
    fresh = Asked(lambda subset: True)
    fresh.run(search(20, 0.97))
    assert len(fresh.answers[0][1]) == 20


def test_a_copy_learns_apart() -> None:
    beliefs, change = Beliefs(), Change("one", Kind("pass", 0.5))
    other = beliefs.copy()
    for _ in range(10):
        other.failed([change])
    assert beliefs.chance([change]) == 0.5 > other.chance([change])


def test_what_was_in_many_failures_is_blamed_for_the_next_one() -> None:
    beliefs, kind = Beliefs(), Kind("cut", 0.9)
    for other in "abcde":
        beliefs.failed([Change(f"cut {other}", kind, frozenset({"guilty", other}))])
    assert beliefs.of_unit("guilty") < 0.2 < 0.5 < beliefs.of_unit("e")
    beliefs.held([Change("cut abc", kind, frozenset("abc"))])
    assert beliefs.of_unit("a") > 0.7


def test_a_large_change_without_doubtful_units_comes_before_a_small_one_with() -> None:
    beliefs, kind = Beliefs(), Kind("cut", 0.9)
    for _ in range(3):
        beliefs.failed([Change("cut guilty", kind, frozenset({"guilty"}))])
    changes = [
        Change("cut guilty", kind, frozenset({"guilty"})),
        Change("cut others", kind, frozenset("abcdef")),
    ]
    asked = Asked(without(frozenset({0})))
    asked.run(GroupTest(changes, beliefs, all_of))
    assert asked.answers[0][1] == frozenset({1})


@given(st.integers(2, 60), st.sets(st.integers(0, 59), max_size=4), st.integers(0, 10**6))
@examples(100)
def test_nested_changes_take_all_but_what_has_to_stay(count: int, stay: set[int], salt: int) -> None:
    """A change takes its unit with all behind it, as a cut takes along what reads it."""
    changes = [
        Change(
            f"cut {at}",
            Kind("cut", 0.9),
            frozenset(str(unit) for unit in range(at, count, 1 + (at + salt) % 3)),
        )
        for at in range(count)
    ]

    def holds(subset: Subset) -> bool:
        gone = frozenset[str]().union(*(changes[each].takes for each in subset))
        return gone.isdisjoint(map(str, stay))

    asked = Asked(holds)
    chosen = asked.run(GroupTest(changes, Beliefs(), all_of))
    assert chosen == frozenset(at for at in range(count) if holds(frozenset({at})))
    assert len(asked.answers) <= 2 * count


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

    found = GroupTest([Change(f"change {at}", Kind("any", 0.9)) for at in range(count)], Beliefs(), apart)
    chosen = Asked(lambda subset: True).run(found)
    assert len({colour(each) for each in chosen}) == len(chosen)
    assert chosen | found.unbuilt == frozenset(range(count))


@pytest.mark.parametrize("count", range(1, 9))
def test_halves(count: int) -> None:
    one, other = halves(frozenset(range(count)))
    assert one | other == frozenset(range(count)) and not one & other and len(one) - len(other) in (0, 1)
