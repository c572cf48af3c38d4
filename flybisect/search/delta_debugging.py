"""Choosing as many of a set of changes as possible: delta debugging over items. Pure.

The search is a generator of questions: it yields subsets of `range(count)`, the changes applied together,
and is sent whether the test lets them through. It halves what failed and keeps what held, so `k` changes that
must not be made among `n` cost about `2 k log2(n / k)` questions (Zeller & Hildebrandt, "Simplifying and
isolating failure-inducing input", 2002, in the one-pass form that keeps every success).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

Subset = frozenset[int]


def delta_debug(chunks: Sequence[Subset], smallest: int = 1) -> Generator[Subset, bool, Subset]:
    """The union of the items that the test lets through, tried chunk by chunk in the given order.

    A chunk that fails is halved down to single items, or while the halves have `smallest` items. With
    1, every single item outside the result failed once together with what had been chosen by then.
    """
    chosen: Subset = frozenset()
    waiting = [chunk for chunk in reversed(chunks) if chunk]
    while waiting:
        chunk = waiting.pop()
        if (yield chosen | chunk):
            chosen |= chunk
        elif len(chunk) >= 2 * smallest:
            waiting += reversed(halves(chunk))
    return chosen


def halves(chunk: Subset) -> tuple[Subset, Subset]:
    """Two halves by position."""
    items = sorted(chunk)
    middle = (len(items) + 1) // 2
    return frozenset(items[:middle]), frozenset(items[middle:])


def parts(count: int, number: int) -> list[Subset]:
    """All items in at most `number` runs of equal length, for a search to begin with."""
    length = max(1, -(-count // max(1, number)))
    return [frozenset(range(at, min(at + length, count))) for at in range(0, count, length)]
