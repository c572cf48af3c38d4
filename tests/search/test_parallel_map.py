from __future__ import annotations

import threading
import time

import pytest

from flybisect.search.parallel_map import each


def test_answers_come_in_the_order_of_the_questions() -> None:
    def slow_first(number: int) -> int:
        time.sleep(0.05 if number == 0 else 0)
        return number * 10

    assert each(slow_first, range(6), jobs=3) == [0, 10, 20, 30, 40, 50]
    assert each(slow_first, [], jobs=3) == []
    assert each(slow_first, [4], jobs=3) == each(slow_first, [4], jobs=1) == [40]


def test_as_many_at_once_as_there_are_jobs() -> None:
    together = threading.Barrier(3)

    def meet(_: int) -> int:
        together.wait(timeout=20)  # broken where fewer than three are worked on at once
        return threading.active_count()

    assert len(each(meet, range(6), jobs=3)) == 6
    most, running, lock = 0, 0, threading.Lock()

    def count(_: int) -> None:
        nonlocal most, running
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1

    each(count, range(12), jobs=2)
    assert most == 2


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
