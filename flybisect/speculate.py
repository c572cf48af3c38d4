"""Working ahead of a search, with the answers in the order of its questions.

A search asks one thing after the other, and what it asks next depends on the answer. While it waits,
what it may ask next is worked on beside; what turns out not to be asked is cancelled. Answers come in the
order of the questions, so the search goes the same way however many are worked on at once.

The threads are those of joblib's threading back-end. Its `Parallel` is left out, as it was measured (1.6):
behind a slow first item it draws 52 of 100 others, from another thread than the one that searches; an
iterator that waits for room deadlocks it; an item's error comes in place of an earlier item's answer; and
nothing that runs can be called off.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from joblib.parallel import ThreadingBackend

Item = TypeVar("Item")
Answer = TypeVar("Answer")

Work = Callable[[Item, threading.Event], Answer]
"""Gives an item's answer; may stop with any exception once the event is set."""
Guesses = Callable[[Item], Iterator[Item]]
"""What may be asked after an item, the likeliest first; drawn from only while there is room to work on it."""

KEPT = 64
"""Answers to guesses that are kept until they are asked for."""


@dataclass(eq=False)
class _Afoot(Generic[Item, Answer]):
    """An item that is worked on, or was and is not asked for yet."""

    item: Item
    cancelled: threading.Event = field(default_factory=threading.Event)
    ended: bool = False
    stale: bool = False
    """It was guessed to come, and then another item did. It makes way for what is guessed now."""
    error: BaseException | None = None
    answer: Answer | None = None


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
        self._afoot: dict[Hashable, _Afoot[Item, Answer]] = {}
        self._running = 0
        self._changed = threading.Condition()
        self._threads: ThreadingBackend | None = None

    def answer(self, item: Item, guesses: Iterable[Item] = ()) -> Answer:
        """One item's; guesses are begun meanwhile. Raises what the work raises."""
        key = self._key(item)
        if self._jobs == 1 or (self._costless(item) and key not in self._afoot):
            return self._work(item, threading.Event())
        if key in self._afoot and self._afoot[key].item != item:
            self._afoot.pop(key).cancelled.set()
        if key not in self._afoot:
            for each in self._afoot.values():
                each.stale = True
            if self._running_now() >= self._jobs:
                self._make_way()
        found = self._begun(key, item)
        try:
            self._await(found, iter(guesses))
        finally:
            self._afoot.pop(key, None)
            if not found.ended:
                found.cancelled.set()
        if found.error is not None:
            raise found.error
        return found.answer  # type: ignore[return-value]

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

    def _make_way(self) -> None:
        for key, each in list(self._afoot.items()):
            if each.stale and not each.ended:
                each.cancelled.set()
                del self._afoot[key]

    def cancel(self) -> None:
        """Calls off all that is worked on."""
        for each in self._afoot.values():
            each.cancelled.set()
        self._afoot.clear()

    def wait(self) -> None:
        """Until nothing is worked on."""
        with self._changed:
            self._changed.wait_for(lambda: self._running == 0)

    def close(self) -> None:
        """Calls off, waits and ends the threads."""
        self.cancel()
        self.wait()
        if self._threads is not None:
            self._threads.terminate()
            self._threads = None

    def _await(self, head: _Afoot[Item, Answer], guesses: Iterator[Item]) -> None:
        while True:
            with self._changed:
                if head.ended:
                    return
            if self._running_now(stale=False) < self._jobs and (guess := next(guesses, None)) is not None:
                key = self._key(guess)
                if key in self._afoot:
                    self._afoot[key].stale = False
                elif not self._costless(guess):
                    self._make_way()
                    self._begun(key, guess)
                continue
            with self._changed:
                running = self._running
                self._changed.wait_for(lambda: head.ended or self._running < running)  # noqa: B023

    def _running_now(self, *, stale: bool = True) -> int:
        """How many are worked on and not called off; with those that are stale, or without."""
        with self._changed:
            return sum(not each.ended and (stale or not each.stale) for each in self._afoot.values())

    def _begun(self, key: Hashable, item: Item) -> _Afoot[Item, Answer]:
        if key in self._afoot:
            return self._afoot[key]
        found = self._afoot[key] = _Afoot(item)
        with self._changed:
            self._running += 1
        if self._threads is None:
            from joblib.parallel import ThreadingBackend  # brings numpy, which most starts do without

            self._threads = ThreadingBackend()
            # What is called off takes a moment to end, and its successor need not wait for that.
            self._threads.configure(n_jobs=2 * self._jobs)
        self._threads.submit(lambda: self._run(found))
        ended = [other for other, each in self._afoot.items() if each.ended]
        for other in ended[: max(0, len(self._afoot) - KEPT)]:
            del self._afoot[other]
        return found

    def _run(self, found: _Afoot[Item, Answer]) -> None:
        try:
            found.answer = self._work(found.item, found.cancelled)
        except BaseException as error:  # noqa: BLE001 - a thread's: it is raised where the answer is asked for
            found.error = error
        finally:
            with self._changed:
                found.ended = True
                self._running -= 1
                self._changed.notify_all()


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
