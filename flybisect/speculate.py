"""Working ahead on a lazy list of candidates, with the answers in order.

A search takes the first candidate that is good enough and throws the rest away. With two cores the
next candidate can be tried meanwhile; if it turns out not to be needed it is cancelled. Answers come
in the order of the candidates, so the search goes the same way however many run at once.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

Work = Callable[[Item, threading.Event], Answer]
"""Gives an item's answer; may stop with any exception once the event is set."""


@dataclass
class _Pending(Generic[Item, Answer]):
    item: Item
    key: Hashable
    cancelled: threading.Event = field(default_factory=threading.Event)
    future: Future[Answer] | None = None
    """None where an equal item is under way already: its answer will be known by this one's turn."""


def in_order(
    work: Work[Item, Answer],
    items: Iterable[Item],
    jobs: int,
    key: Callable[[Item], Hashable],
) -> Iterator[tuple[Item, Answer]]:
    """Each item with its answer, in order, while at most `jobs` are worked on at once.

    Items are pulled at most `jobs` ahead of the answer. Of items with equal keys one is worked on at
    a time. Closing the iterator cancels what runs and waits for it to end.
    """
    if jobs <= 1:
        for item in items:
            yield item, work(item, threading.Event())
        return
    pending: deque[_Pending[Item, Answer]] = deque()
    source = iter(items)
    pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="trial")
    try:
        while True:
            _fill(pending, source, jobs, key, pool, work)
            if not pending:
                return
            head = pending.popleft()
            try:
                answer = head.future.result() if head.future else work(head.item, head.cancelled)
            except BaseException:
                head.cancelled.set()
                raise
            yield head.item, answer
    finally:
        for left in pending:
            left.cancelled.set()
        pool.shutdown(wait=True, cancel_futures=True)


def _fill(
    pending: deque[_Pending[Item, Answer]],
    source: Iterator[Item],
    jobs: int,
    key: Callable[[Item], Hashable],
    pool: ThreadPoolExecutor,
    work: Work[Item, Answer],
) -> None:
    while len(pending) < jobs:
        try:
            item = next(source)
        except StopIteration:
            return
        entry: _Pending[Item, Answer] = _Pending(item, key(item))
        if all(other.key != entry.key for other in pending):
            entry.future = pool.submit(work, item, entry.cancelled)
        pending.append(entry)
