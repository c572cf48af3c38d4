from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.speculate import in_order


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 4))
def test_every_item_is_answered_in_order(items: list[int], jobs: int) -> None:
    answers = list(in_order(lambda item, _: item * 2, items, jobs, key=lambda item: item))
    assert answers == [(item, item * 2) for item in items]


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

    assert len(list(in_order(work, ["a", "a", "b", "a", "b", "b"], 3, key=str))) == 6


def test_items_are_pulled_at_most_jobs_ahead() -> None:
    pulled = 0

    def items() -> Iterator[int]:
        nonlocal pulled
        for number in range(100):
            pulled += 1
            yield number

    answered = 0
    for _ in in_order(lambda item, _: item, items(), 3, key=lambda item: item):
        answered += 1
        assert pulled <= answered + 2
    assert answered == 100


def test_closing_sets_the_events_and_waits() -> None:
    ended = []

    def work(item: int, cancelled: threading.Event) -> int:
        if item > 0:
            cancelled.wait(10)
            ended.append(cancelled.is_set())
        return item

    answers = in_order(work, range(10), 3, key=lambda item: item)
    began = time.monotonic()
    assert next(answers) == (0, 0)
    answers.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began < 5
    assert ended
    assert all(ended)


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_error_comes_at_its_turn(jobs: int) -> None:
    def work(item: int, cancelled: threading.Event) -> int:
        if item == 2:
            raise ValueError("two")
        return item

    answers = in_order(work, range(5), jobs, key=lambda item: item)
    assert [next(answers), next(answers)] == [(0, 0), (1, 1)]
    with pytest.raises(ValueError, match="two"):
        next(answers)
