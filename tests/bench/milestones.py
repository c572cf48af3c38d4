"""What a reduction's course says: when how much of a script was gone, and how many successes were in vain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flybisect.source.source import count_statements

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
    """Of the best script at each step, the unreduced one first."""
    held = undone = 0
    stack: list[str] = []
    sizes: dict[str, tuple[int, int]] = {}
    for text in texts:
        if stack and text == stack[-1]:
            continue
        if text in stack:
            undone += len(stack) - 1 - stack.index(text)
            del stack[stack.index(text) + 1 :]
            continue
        sizes[text] = count_statements(text), len(text)
        if stack and sizes[text][0] > sizes[stack[-1]][0]:
            undone += 1
            while len(stack) > 1 and sizes[stack[-1]][0] < sizes[text][0]:
                stack.pop()
        else:
            held += bool(stack)
        stack.append(text)
    return Successes(held, undone)
