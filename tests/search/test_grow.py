from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from flybisect.search.grow import Subset, grow, halves, parts
from tests.script.profile import examples

Test = Callable[[Subset], bool]


class Asked:
    """Answers with a test, and may draw some subsets ahead of the one that it answers."""

    def __init__(self, test: Test, ahead: int = 0) -> None:
        self._test = test
        self._ahead = ahead
        self.answers: list[tuple[Subset, bool]] = []
        self.streams = 0
        self.closed = 0

    def ask(self, subsets: Iterable[Subset]) -> Iterator[bool]:
        self.streams += 1
        try:
            stream, waiting = iter(subsets), deque[Subset]()
            while True:
                while len(waiting) <= self._ahead and (drawn := next(stream, None)) is not None:
                    waiting.append(drawn)
                if not waiting:
                    return
                subset = waiting.popleft()
                self.answers.append((subset, self._test(subset)))
                yield self.answers[-1][1]
        finally:
            self.closed += 1


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
    assert grow(parts(count, number), asked.ask) == frozenset(range(count)) - bad


@given(monotone())
@examples(150)
def test_monotone_is_cheap(case: tuple[int, Subset, int]) -> None:
    count, bad, number = case
    asked = Asked(without(bad))
    chunks = parts(count, number)
    grow(chunks, asked.ask)
    k = len(bad)
    depth = math.ceil(math.log2(len(chunks[0])))
    assert len(asked.answers) <= len(chunks) + 2 * k * depth
    if k and number == 1:
        assert len(asked.answers) <= 1 + 2 * k * (math.log2(count / k) + 2)


@given(counts, st.integers(1, 12), st.integers(0, 1000), st.integers(0, 16))
@examples(200)
def test_whatever_the_answers_the_result_holds(count: int, number: int, salt: int, share: int) -> None:
    asked = Asked(scrambled(salt, share))
    result = grow(parts(count, number), asked.ask)
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


@given(counts, st.integers(1, 12), st.integers(0, 1000), st.integers(0, 16), st.integers(1, 9))
@examples(150)
def test_looking_ahead_changes_nothing(count: int, number: int, salt: int, share: int, ahead: int) -> None:
    test = scrambled(salt, share)
    plain, eager = Asked(test), Asked(test, ahead)
    chunks = parts(count, number)
    assert grow(chunks, plain.ask) == grow(chunks, eager.ask)
    assert plain.answers == eager.answers


@given(monotone(), st.integers(0, 9))
@examples(60)
def test_streams_are_closed(case: tuple[int, Subset, int], ahead: int) -> None:
    count, bad, number = case
    asked = Asked(without(bad), ahead)
    grow(parts(count, number), asked.ask)
    assert asked.closed == asked.streams >= 1


@given(st.integers(1, 40), st.integers(0, 1000), st.integers(0, 16))
@examples(60)
def test_what_held_is_not_asked_again(count: int, salt: int, share: int) -> None:
    asked = Asked(scrambled(salt, share))
    grow(parts(count, 4), asked.ask)
    subsets = [subset for subset, _ in asked.answers]
    assert all(subsets.count(subset) == 1 for subset, answer in asked.answers if answer)


def test_two_that_only_go_together_go_in_one_chunk() -> None:
    asked = Asked(lambda subset: len(subset & {2, 3}) != 1)
    assert grow([frozenset({0, 1}), frozenset({2, 3})], asked.ask) == {0, 1, 2, 3}
    asked = Asked(lambda subset: len(subset & {1, 2}) != 1)
    assert grow(parts(4, 2), asked.ask) == {0, 3}


def test_order_of_questions() -> None:
    asked = Asked(without(frozenset({2})))
    grow(parts(4, 1), asked.ask)
    assert [(sorted(subset), answer) for subset, answer in asked.answers] == [
        ([0, 1, 2, 3], False),
        ([0, 1], True),
        ([0, 1, 2, 3], False),
        ([0, 1, 2], False),
        ([0, 1, 3], True),
    ]


def test_nothing_to_choose_from() -> None:
    asked = Asked(without(frozenset()))
    assert grow([], asked.ask) == frozenset()
    assert grow([frozenset()], asked.ask) == frozenset()
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
            assert grow(parts(6, 2), asked.ask) == frozenset(range(6)) - set(bad)
