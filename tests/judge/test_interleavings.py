"""The scheduler under every order in which its work may end: threads and waiting are replaced by a pool in
which an item ends when the test says so, so that what hypothesis finds happens again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from itertools import islice
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from flybisect.judge import speculation
from flybisect.judge.speculation import Speculation
from flybisect.probe.process import TrialCancelled

ITEMS = st.integers(0, 12)
GUESSES = st.lists(ITEMS, max_size=6, unique=True)
COSTLESS = 6
RAISES = 7


def alone(item: int) -> int:
    """The answer of one job at a time."""
    if item == RAISES:
        raise ValueError("raised")
    return item * item


class Pool:
    """As many at once as there are threads; those behind them wait for their turn."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.begun: list[tuple[Future[int], int, threading.Event]] = []
        self.queued: list[tuple[Future[int], int, threading.Event]] = []
        self.most_live = self.most = 0

    def submit(self, work: Callable[..., int], item: int, cancelled: threading.Event) -> Future[int]:
        future: Future[int] = Future()
        self.queued.append((future, item, cancelled))
        self._begin()
        return future

    def end(self, number: int) -> None:
        """The n-th of those that run. One that is cancelled ends without an answer."""
        future, item, cancelled = self.begun.pop(number % len(self.begun))
        try:
            if cancelled.is_set():
                raise TrialCancelled
            future.set_result(alone(item))
        except (TrialCancelled, ValueError) as error:
            future.set_exception(error)
        self._begin()

    def _begin(self) -> None:
        while self.queued and len(self.begun) < self.threads:
            task = self.queued.pop(0)
            if task[0].set_running_or_notify_cancel():
                self.begun.append(task)
        self.most = max(self.most, len(self.begun))
        live = [item for _, item, cancelled in self.begun if not cancelled.is_set()]
        assert len(live) == len(set(live)), "an item is worked on twice"
        self.most_live = max(self.most_live, len(live))

    def shutdown(self) -> None:
        assert not self.begun
        assert all(future.cancelled() for future, _, _ in self.queued)


class Searches(RuleBasedStateMachine):
    """Searches that ask what was guessed, what was not, and what was guessed once and then no more."""

    @initialize(jobs=st.integers(2, 3), data=st.data())
    def begin(self, jobs: int, data: st.DataObject) -> None:
        self.jobs = jobs
        self.data = data
        self.pool: Pool | None = None
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(speculation, "ThreadPoolExecutor", self._made)
        self.patch.setattr(speculation, "wait", self._wait)
        self.speculation: Speculation[int, int] = Speculation(
            lambda item, cancelled: alone(item), lambda item: item, jobs, lambda item: item == COSTLESS
        )

    def _made(self, threads: int, **named: Any) -> Pool:
        self.pool = Pool(threads)
        return self.pool

    def _wait(self, futures: Collection[Future[int]], **how: Any) -> None:
        """Ends what runs, in an order that is drawn, until one of them (or each) has ended."""
        assert self.pool is not None or not futures
        enough = any if how else all
        while futures and not enough(each.done() for each in futures):
            assert self.pool is not None
            assert self.pool.begun, "waits for what nobody works on"
            self.pool.end(self.data.draw(st.integers(0, len(self.pool.begun) - 1), label="ends"))

    def _guessed(self, guesses: list[int]) -> Iterator[int]:
        """What runs may end while they are drawn, too."""
        for guess in guesses:
            if (
                self.pool is not None
                and self.pool.begun
                and not self.data.draw(st.integers(0, 3), label="meanwhile")
            ):
                self.pool.end(self.data.draw(st.integers(0, 9), label="ends meanwhile"))
            yield guess

    @rule(item=ITEMS, guesses=GUESSES)
    def ask(self, item: int, guesses: list[int]) -> None:
        try:
            found = self.speculation.answer(item, self._guessed(guesses))
        except ValueError:
            assert item == RAISES
        else:
            assert found == alone(item)

    @precondition(lambda self: self.pool is not None and self.pool.begun)
    @rule(number=st.integers(0, 9), guesses=GUESSES)
    def ask_what_is_worked_on(self, number: int, guesses: list[int]) -> None:
        assert self.pool is not None
        live = [item for _, item, cancelled in self.pool.begun if not cancelled.is_set()]
        if live:
            self.ask(live[number % len(live)], guesses)

    @rule(items=st.lists(ITEMS.filter(lambda item: item != RAISES), max_size=6), most=st.integers(0, 6))
    def answer_a_stream(self, items: list[int], most: int) -> None:
        """Up to where the search has what it wanted."""
        answers = self.speculation.in_order(items)
        assert list(islice(answers, most)) == [(item, alone(item)) for item in items[:most]]
        answers.close()
        self.speculation.cancel()
        assert self.pool is None or most == 0 or not self.pool.begun

    @precondition(lambda self: self.pool is not None and self.pool.begun)
    @rule(number=st.integers(0, 9))
    def one_ends_between_questions(self, number: int) -> None:
        assert self.pool is not None
        self.pool.end(number)

    @invariant()
    def no_more_run_than_may(self) -> None:
        if getattr(self, "pool", None) is not None:
            assert self.pool is not None
            assert self.pool.most_live <= self.jobs
            assert self.pool.most <= 2 * self.jobs

    def teardown(self) -> None:
        if not hasattr(self, "speculation"):
            return
        try:
            self.speculation.close()
            assert self.pool is None or not self.pool.begun
        finally:
            self.patch.undo()


TestSearches = Searches.TestCase
TestSearches.settings = settings(max_examples=150, stateful_step_count=25, deadline=None)
