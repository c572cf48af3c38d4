from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flybisect.judge.speculation import Speculation
from flybisect.probe.process import TrialCancelled

Item = TypeVar("Item", bound=Hashable)
Answer = TypeVar("Answer")


def in_order(
    work: Callable[[Item, threading.Event], Answer], items: Iterable[Item], jobs: int
) -> Iterator[tuple[Item, Answer]]:
    speculation: Speculation[Item, Answer] = Speculation(work, lambda item: item, jobs)
    try:
        yield from speculation.in_order(items)
    finally:
        speculation.close()


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 4))
def test_every_item_is_answered_in_order(items: list[int], jobs: int) -> None:
    answers = list(in_order(lambda item, _: item * 2, items, jobs))
    assert answers == [(item, item * 2) for item in items]


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(2, 4))
def test_a_search_goes_the_same_way_whatever_trials_take(data: st.DataObject, jobs: int) -> None:
    """One whose next question depends on all the answers before, with guesses that may be wrong."""
    shuffled = random.Random(data.draw(st.integers(0, 1 << 30)))

    def work(item: int, cancelled: threading.Event) -> int:
        cancelled.wait(shuffled.random() * 0.004)
        return item * 2654435761 % 1000

    def search(jobs: int) -> list[int]:
        speculation: Speculation[int, int] = Speculation(work, lambda item: item, jobs)
        state, path = 1, []
        for _ in range(15):
            guesses = iter([shuffled.randrange(1000) for _ in range(3)] + [(state * 7) % 1000])
            answer = speculation.answer(state, guesses)
            path.append(answer)
            state = (state * 7 if answer % 3 else answer) % 1000
        speculation.close()
        return path

    assert search(jobs) == search(1)


def test_equal_items_are_not_worked_on_at_once() -> None:
    busy: set[str] = set()
    lock = threading.Lock()

    def work(item: str, cancelled: threading.Event) -> None:
        with lock:
            assert item not in busy
            busy.add(item)
        time.sleep(0.01)
        with lock:
            busy.remove(item)

    assert len(list(in_order(work, ["a", "a", "b", "a", "b", "b"], 3))) == 6


def test_no_more_are_worked_on_at_once_than_jobs() -> None:
    busy, most, lock = 0, 0, threading.Lock()

    def work(item: int, cancelled: threading.Event) -> None:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        time.sleep(0.01)
        with lock:
            busy -= 1

    assert len(list(in_order(work, range(20), 3))) == 20
    assert most == 3


def test_items_are_pulled_a_little_ahead() -> None:
    pulled = 0

    def items() -> Iterator[int]:
        nonlocal pulled
        for number in range(100):
            pulled += 1
            yield number

    answered = 0
    for _ in in_order(lambda item, _: item, items(), 3):
        answered += 1
        assert pulled <= answered + 3
    assert answered == 100


def test_what_costs_nothing_takes_no_room() -> None:
    begun: list[int] = []

    def work(item: int, cancelled: threading.Event) -> int:
        begun.append(item)
        if item == 0:
            # Ends once the next one that costs anything has begun.
            end = time.monotonic() + 10
            while 5 not in begun and time.monotonic() < end:
                time.sleep(0.002)
        return item

    speculation: Speculation[int, int] = Speculation(work, lambda item: item, 2, lambda item: 0 < item < 5)
    assert [answer for _, answer in speculation.in_order(range(6))] == list(range(6))
    assert begun[:2] == [0, 5]
    speculation.close()


def test_closing_sets_the_events_and_waits() -> None:
    ended = []
    ahead = threading.Event()

    def work(item: int, cancelled: threading.Event) -> int:
        if item > 0:
            ahead.set()
            cancelled.wait(10)
            ended.append(cancelled.is_set())
        else:
            ahead.wait(10)
        return item

    answers = in_order(work, range(10), 3)
    began = time.monotonic()
    assert next(answers) == (0, 0)
    answers.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began < 5
    assert ended
    assert all(ended)


def test_a_guess_that_comes_true_is_not_begun_again() -> None:
    begun: list[str] = []

    def work(item: str, cancelled: threading.Event) -> str:
        begun.append(item)
        cancelled.wait(0.02)
        return item

    speculation: Speculation[str, str] = Speculation(work, lambda item: item, 2)
    assert speculation.answer("first", iter(["second", "third"])) == "first"
    assert speculation.answer("second") == "second"
    speculation.close()
    assert begun.count("second") == 1


def test_what_was_not_foreseen_cancels_the_guesses() -> None:
    cancelled_ones: list[str] = []

    def work(item: str, cancelled: threading.Event) -> str:
        if item.startswith("guess"):
            cancelled.wait(10)
            cancelled_ones.append(item)
        else:
            cancelled.wait(0.05)
        return item

    speculation: Speculation[str, str] = Speculation(work, lambda item: item, 2)
    began = time.monotonic()
    assert speculation.answer("first", iter(["guess"])) == "first"
    assert speculation.answer("second", iter(["guess more"])) == "second"
    assert speculation.answer("third") == "third"
    speculation.close()
    assert time.monotonic() - began < 5
    assert sorted(cancelled_ones) == ["guess", "guess more"]


def test_an_error_of_a_guess_comes_when_it_is_asked_for() -> None:
    def work(item: int, cancelled: threading.Event) -> int:
        if item == 2:
            raise ValueError("two")
        cancelled.wait(0.02)
        return item

    speculation: Speculation[int, int] = Speculation(work, lambda item: item, 2)
    assert speculation.answer(1, iter([2])) == 1
    assert speculation.answer(3) == 3
    with pytest.raises(ValueError, match="two"):
        speculation.answer(2)
    speculation.close()


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_error_comes_at_its_turn(jobs: int) -> None:
    def work(item: int, cancelled: threading.Event) -> int:
        if item == 2:
            raise ValueError("two")
        return item

    answers = in_order(work, range(5), jobs)
    assert [next(answers), next(answers)] == [(0, 0), (1, 1)]
    with pytest.raises(ValueError, match="two"):
        next(answers)


def test_a_guess_that_was_given_up_and_is_then_asked_for_is_not_cancelled() -> None:
    """It gave way to the guesses made while it was waited for."""
    first = threading.Event()

    def work(item: str, cancelled: threading.Event) -> str:
        if item == "early":
            first.set()
            if cancelled.wait(0.1):
                raise TrialCancelled
        elif item == "question":
            first.wait(10)
        else:
            cancelled.wait(0.02)
        return item

    speculation: Speculation[str, str] = Speculation(work, lambda item: item, 2)
    assert speculation.answer("question", iter(["early"])) == "question"
    assert speculation.answer("unforeseen") == "unforeseen"
    assert speculation.answer("early", iter(["one", "two", "three"])) == "early"
    speculation.close()
