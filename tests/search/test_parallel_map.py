from __future__ import annotations

import threading
import time

import pytest

from flybisect.search.parallel_map import each


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_answers_stand_in_the_order_of_the_questions(jobs: int) -> None:
    assert each(lambda item: item * item, [3, 1, 2], jobs) == [9, 1, 4]
    assert each(lambda item: item, [], jobs) == []


@pytest.mark.parametrize(("items", "jobs"), [([1, 2], 1), ([1], 4)])
def test_one_at_a_time_needs_no_thread(items: list[int], jobs: int) -> None:
    assert each(lambda _: threading.get_ident(), items, jobs) == [threading.get_ident()] * len(items)


def test_so_many_are_at_work_at_once() -> None:
    """Two wait for each other, so that it would not end with one at a time."""
    both = threading.Barrier(2, timeout=30)
    assert sorted(each(lambda _: both.wait(), [0, 1, 2, 3], 2)) == [0, 0, 1, 1]


def test_what_one_raises_comes_through_and_ends_the_others() -> None:
    ended = threading.Event()

    def work(item: int) -> bool:
        if item == 0:
            raise ValueError("the first")
        return ended.wait(30)

    with pytest.raises(ValueError, match="the first"):
        each(work, [0, 1], 2, ended.set)
    assert ended.is_set()


def test_alone_nothing_is_cancelled() -> None:
    def cancel() -> None:
        raise AssertionError("nothing else was at work")

    with pytest.raises(ZeroDivisionError):
        each(lambda item: 1 // item, [0, 1], 1, cancel)


def test_an_error_cancels_the_others_and_waits_for_them() -> None:
    stop, began, ended = threading.Event(), [], []

    def work(number: int) -> None:
        began.append(number)
        if number == 1:
            while 0 not in began:
                time.sleep(0.001)
            raise ZeroDivisionError(number)
        assert stop.wait(20)
        time.sleep(0.1)
        ended.append(number)

    with pytest.raises(ZeroDivisionError):
        each(work, range(50), jobs=2, cancel=stop.set)
    assert sorted(began) == sorted([1, *ended]), "something still runs"
    assert len(began) < 10, "what had not begun is not begun any more"
