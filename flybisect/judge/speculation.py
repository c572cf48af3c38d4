"""Working ahead of a search, with the answers in the order of its questions.

A search asks one thing after the other, and what it asks next depends on the answer. While it waits,
what it may ask next is worked on beside; what turns out not to be asked is cancelled. Answers come in the
order of the questions, so the search goes the same way however many are worked on at once.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

Work = Callable[[Item, threading.Event], Answer]
"""Gives an item's answer; may stop with any exception once the event is set."""
Guesses = Callable[[Item], Iterator[Item]]
"""What may be asked after an item, the likeliest first; drawn from only while there is room to work on it."""

KEPT = 64
"""Answers to guesses that are kept until they are asked for."""


@dataclass(eq=False)
class _Task(Generic[Item, Answer]):
    """An item that is worked on, or was and is not asked for yet."""

    item: Item
    cancelled: threading.Event
    future: Future[Answer]
    expected: bool = True
    """Asked for now, or guessed to come since the last question that nobody foresaw. What is not expected
    makes way for what is."""

    @property
    def running(self) -> bool:
        return not self.future.done()


class Speculation(Generic[Item, Answer]):
    """Answers for one search, at most `jobs` worked on at once. To be used from one thread, and closed."""

    def __init__(
        self,
        work: Work[Item, Answer],
        key: Callable[[Item], Hashable],
        jobs: int,
        costless: Callable[[Item], bool] = lambda item: False,
    ) -> None:
        """Of items with equal keys one is worked on at a time: the other may be costless after it. A
        `costless` item takes no room. Only `work` is called in threads."""
        self._work = work
        self._key = key
        self._jobs = jobs
        self._costless = costless
        self._tasks: dict[Hashable, _Task[Item, Answer]] = {}
        """None of them is cancelled: what is cancelled leaves at once, and `_leaving` until it has ended."""
        self._leaving: set[Future[Answer]] = set()
        self._threads: ThreadPoolExecutor | None = None

    def answer(self, item: Item, guesses: Iterable[Item] = ()) -> Answer:
        """One item's; guesses are begun meanwhile. Raises what the work raises."""
        key = self._key(item)
        if self._jobs == 1 or (self._costless(item) and key not in self._tasks):
            return self._work(item, threading.Event())
        if key in self._tasks and self._tasks[key].item != item:
            self._cancel(key)
        if key not in self._tasks:
            for each in self._tasks.values():
                each.expected = False
        task = self._expect(key, item)
        further = iter(guesses)
        try:
            while task.running:
                running = [each for each in self._tasks.values() if each.running]
                has_room = sum(each.expected for each in running) < self._jobs
                guess = next(further, None) if has_room else None
                if guess is None:
                    wait([each.future for each in running], return_when=FIRST_COMPLETED)
                elif self._key(guess) in self._tasks or not self._costless(guess):
                    self._expect(self._key(guess), guess)
        finally:
            self._cancel(key)
        return task.future.result()

    def in_order(
        self, items: Iterable[Item], guesses: Guesses[Item] | None = None
    ) -> Generator[tuple[Item, Answer], None, None]:
        """Each item with its answer. Without `guesses` the items that follow are what is guessed.

        Items are then pulled while there is room, at most `jobs` ahead that cost anything, and closing the
        iterator cancels what runs and waits for it to end.
        """
        if guesses is not None or self._jobs == 1:
            for item in items:
                yield item, self.answer(item, () if guesses is None else guesses(item))
            return
        stream = _Stream(items, self._jobs, self._costless)
        try:
            for item in stream:
                yield item, self.answer(item, stream.further())
        finally:
            self.cancel()
            self.wait()

    def cancel(self) -> None:
        """Cancels all that is worked on."""
        for key in list(self._tasks):
            self._cancel(key)

    def wait(self) -> None:
        """Until nothing is worked on."""
        wait([*self._leaving, *(each.future for each in self._tasks.values())])

    def close(self) -> None:
        """Cancels, waits and ends the threads."""
        self.cancel()
        self.wait()
        if self._threads is not None:
            self._threads.shutdown()
            self._threads = None

    def _expect(self, key: Hashable, item: Item) -> _Task[Item, Answer]:
        """Its task, begun where there is none; what is not expected any more makes way then."""
        if key in self._tasks:
            self._tasks[key].expected = True
            return self._tasks[key]
        if sum(each.running for each in self._tasks.values()) >= self._jobs:
            for other in [other for other, each in self._tasks.items() if each.running and not each.expected]:
                self._cancel(other)
        if self._threads is None:
            # What is cancelled takes a moment to end, and its successor need not wait for that.
            self._threads = ThreadPoolExecutor(2 * self._jobs, thread_name_prefix="speculate")
        cancelled = threading.Event()
        task = _Task(item, cancelled, self._threads.submit(self._work, item, cancelled))
        self._tasks[key] = task
        ended = [other for other, each in self._tasks.items() if not each.running]
        for other in ended[: max(0, len(self._tasks) - KEPT)]:
            del self._tasks[other]
        return task

    def _cancel(self, key: Hashable) -> None:
        task = self._tasks.pop(key, None)
        if task is None:
            return
        task.cancelled.set()
        if task.running and not task.future.cancel():
            self._leaving = {each for each in self._leaving if not each.done()} | {task.future}


class _Stream(Generic[Item]):
    """Items that are pulled ahead, so many that cost anything."""

    def __init__(self, items: Iterable[Item], most: int, costless: Callable[[Item], bool]) -> None:
        self._source = iter(items)
        self._most = most
        self._costless = costless
        self._waiting: deque[Item] = deque()

    def __iter__(self) -> Iterator[Item]:
        while self._waiting or self._pull():
            yield self._waiting.popleft()

    def further(self) -> Iterator[Item]:
        """Those that come after it."""
        yield from tuple(self._waiting)
        while sum(not self._costless(item) for item in self._waiting) < self._most and self._pull():
            yield self._waiting[-1]

    def _pull(self) -> bool:
        for item in self._source:
            self._waiting.append(item)
            return True
        return False
