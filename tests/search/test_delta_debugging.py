from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from flybisect.search.delta_debugging import (
    Subset,
    delta_debug,
    halves,
    parts,
)
from tests.source.profile import examples

Test = Callable[[Subset], bool]


class Asked:
    """Answers with a test."""

    def __init__(self, test: Test) -> None:
        self._test = test
        self.answers: list[tuple[Subset, bool]] = []

    def run(self, chunks: Sequence[Subset], smallest: int = 1) -> Subset:
        steps = delta_debug(chunks, smallest)
        answer: bool | None = None
        while True:
            try:
                subset = next(steps) if answer is None else steps.send(answer)
            except StopIteration as ended:
                return frozenset(ended.value)
            answer = self._test(subset)
            self.answers.append((subset, answer))


def without(bad: Subset) -> Test:
    """Monotone: the changes of `bad` can't be made, whatever else is."""
    return lambda subset: not subset & bad


def scrambled(salt: int, share: int) -> Test:
    """As far from monotone as can be: every subset has its own answer."""
    return lambda subset: hash((salt, *sorted(subset))) % 16 < share


counts = st.integers(1, 60)


@st.composite
def monotone(draw: st.DrawFn) -> tuple[int, Subset, int]:
    count = draw(counts)
    bad = draw(st.sets(st.integers(0, count - 1), max_size=6))
    return count, frozenset(bad), draw(st.integers(1, 12))


@given(monotone())
@examples(150)
def test_monotone_takes_all_that_can_be_taken(case: tuple[int, Subset, int]) -> None:
    count, bad, number = case
    asked = Asked(without(bad))
    assert asked.run(parts(count, number)) == frozenset(range(count)) - bad


@given(monotone())
@examples(150)
def test_monotone_is_cheap(case: tuple[int, Subset, int]) -> None:
    count, bad, number = case
    asked = Asked(without(bad))
    chunks = parts(count, number)
    asked.run(chunks)
    k = len(bad)
    depth = math.ceil(math.log2(len(chunks[0])))
    assert len(asked.answers) <= len(chunks) + 2 * k * depth
    if k and number == 1:
        assert len(asked.answers) <= 1 + 2 * k * (math.log2(count / k) + 2)


@given(counts, st.integers(1, 12), st.integers(0, 1000), st.integers(0, 16))
@examples(200)
def test_whatever_the_answers_the_result_holds(count: int, number: int, salt: int, share: int) -> None:
    asked = Asked(scrambled(salt, share))
    result = asked.run(parts(count, number))
    good = [subset for subset, answer in asked.answers if answer]
    assert result == (good[-1] if good else frozenset())
    # What held is never given up again.
    assert all(earlier < later for earlier, later in pairwise(good))
    for item in set(range(count)) - result:
        assert _failed_alone(item, asked.answers), item


def _failed_alone(item: int, answers: list[tuple[Subset, bool]]) -> bool:
    """With exactly what had been chosen by then."""
    chosen: Subset = frozenset()
    for subset, answer in answers:
        if not answer and subset - chosen == {item}:
            return True
        chosen = subset if answer else chosen
    return False


@given(st.integers(1, 40), st.integers(0, 1000), st.integers(0, 16))
@examples(60)
def test_what_held_is_not_asked_again(count: int, salt: int, share: int) -> None:
    asked = Asked(scrambled(salt, share))
    asked.run(parts(count, 4))
    subsets = [subset for subset, _ in asked.answers]
    assert all(subsets.count(subset) == 1 for subset, answer in asked.answers if answer)


def test_two_that_only_go_together_go_in_one_chunk() -> None:
    asked = Asked(lambda subset: len(subset & {2, 3}) != 1)
    assert asked.run([frozenset({0, 1}), frozenset({2, 3})]) == {0, 1, 2, 3}
    asked = Asked(lambda subset: len(subset & {1, 2}) != 1)
    assert asked.run(parts(4, 2)) == {0, 3}


def test_order_of_questions() -> None:
    asked = Asked(without(frozenset({2})))
    asked.run(parts(4, 1))
    assert [(sorted(subset), answer) for subset, answer in asked.answers] == [
        ([0, 1, 2, 3], False),
        ([0, 1], True),
        ([0, 1, 2, 3], False),
        ([0, 1, 2], False),
        ([0, 1, 3], True),
    ]


def test_nothing_to_choose_from() -> None:
    asked = Asked(without(frozenset()))
    assert asked.run([]) == frozenset()
    assert asked.run([frozenset()]) == frozenset()
    assert asked.answers == []


@given(st.integers(0, 100), st.integers(0, 100))
@examples(100)
def test_parts_are_runs_of_equal_length(count: int, number: int) -> None:
    found = parts(count, number)
    assert [item for part in found for item in sorted(part)] == list(range(count))
    assert len(found) <= max(1, number)
    assert all(found) and len({len(part) for part in found[:-1]}) <= 1


@given(st.sets(st.integers(0, 99), min_size=2, max_size=40))
@examples(50)
def test_halves(items: set[int]) -> None:
    first, second = halves(frozenset(items))
    assert first | second == items and max(first) < min(second)
    assert len(first) - len(second) in (0, 1)


def test_every_monotone_test_of_six() -> None:
    for size in range(7):
        for bad in combinations(range(6), size):
            asked = Asked(without(frozenset(bad)))
            assert asked.run(parts(6, 2)) == frozenset(range(6)) - set(bad)
