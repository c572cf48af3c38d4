"""Choosing as many of a set of changes as possible: delta debugging over items.

The test is asked for subsets of `range(count)`, the changes applied together. The search halves
what failed and keeps what held, so `k` changes that must not be made among `n` cost about
`2 k log2(n / k)` questions (Zeller & Hildebrandt, "Simplifying and isolating failure-inducing
input", 2002, in the one-pass form that keeps every success).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

Subset = frozenset[int]
Ask = Callable[[Iterable[Subset]], Iterator[bool]]
"""Answers a lazy stream of subsets in order. It may look ahead; the stream is closed early."""


def grow(chunks: Sequence[Subset], ask: Ask, smallest: int = 1) -> Subset:
    """The union of the items that the test lets through, tried chunk by chunk in the given order.

    A chunk that fails is halved down to single items, or while the halves have `smallest` items. With
    1, every single item outside the result failed once together with what had been chosen by then.
    """
    chosen: Subset = frozenset()
    rest = tuple(chunk for chunk in chunks if chunk)
    while rest:
        trail: list[tuple[Subset, tuple[Subset, ...]]] = []
        plan = _plan(rest, chosen, trail, smallest)
        rest = ()
        for at, good in enumerate(ask(plan)):
            if good:
                chunk, rest = trail[at]
                chosen |= chunk
                break
    return chosen


def _plan(
    rest: tuple[Subset, ...],
    chosen: Subset,
    trail: list[tuple[Subset, tuple[Subset, ...]]],
    smallest: int,
) -> Generator[Subset, None, None]:
    """What to ask while every answer is no; `trail` gets each chunk and what is left behind it."""
    while rest:
        chunk, rest = rest[0], rest[1:]
        trail.append((chunk, rest))
        yield chosen | chunk
        if len(chunk) >= 2 * smallest:
            rest = (*halves(chunk), *rest)


def halves(chunk: Subset) -> tuple[Subset, Subset]:
    """Two halves by position."""
    items = sorted(chunk)
    middle = (len(items) + 1) // 2
    return frozenset(items[:middle]), frozenset(items[middle:])


def parts(count: int, number: int) -> list[Subset]:
    """All items in at most `number` runs of equal length, for a search to begin with."""
    length = max(1, -(-count // max(1, number)))
    return [frozenset(range(at, min(at + length, count))) for at in range(0, count, length)]
