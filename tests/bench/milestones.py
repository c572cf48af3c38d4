"""What a reduction's course says: when how much of a script was gone, and how many successes were in vain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flybisect.source.measure import Size, size_of

SHARES = (2, 4, 10)
"""A half, a quarter and a tenth of the statements left."""


@dataclass(frozen=True)
class Point:
    """A smaller script that was judged in full."""

    compiles: int
    """Until then."""
    left: int
    """Statements."""


def compiles_until(course: Sequence[Point], share: int) -> int | None:
    """Compiles when one in `share` of the first point's statements was left, or fewer; None if never."""
    if not course:
        return None
    enough = course[0].left / share
    return next((point.compiles for point in course if point.left <= enough), None)


@dataclass(frozen=True)
class Successes:
    """Candidates that held, by what became of them."""

    held: int = 0
    undone: int = 0
    """Of these, those that were given up again: the search went back to a script from before them. Where it
    goes to a larger script that it never had, one is counted, since some cut was undone."""

    @property
    def share(self) -> float | None:
        return self.undone / self.held if self.held else None


def successes(texts: Iterable[str]) -> Successes:
    """Of the best script at each step, the unreduced one first.

    Raises SyntaxError where one does not parse.
    """
    held = undone = 0
    stack: list[str] = []
    sizes: list[Size] = []
    """Of each of the stack, as the reduction measures them: fewer parameters may take one statement more."""
    for text in texts:
        if stack and text == stack[-1]:
            continue
        if text in stack:
            kept = stack.index(text) + 1
            undone += len(stack) - kept
            del stack[kept:], sizes[kept:]
            continue
        size = size_of(text)
        if sizes and size > sizes[-1]:
            undone += 1
            while len(sizes) > 1 and sizes[-1] < size:
                stack.pop()
                sizes.pop()
        else:
            held += bool(stack)
        stack.append(text)
        sizes.append(size)
    return Successes(held, undone)
