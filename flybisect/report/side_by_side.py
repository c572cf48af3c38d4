"""Two texts side by side, line by line, with the cut lines marked. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True)
class Pair:
    """A line before and a line after; None when only the other side has a line."""

    kind: str
    """`same`, `cut`, `changed` or `new`."""
    number: int | None
    before: str | None
    after_number: int | None
    after: str | None


def beside(before: str, after: str) -> list[Pair]:
    """Every line of both once, in order."""
    return list(_pairs(before.splitlines(), after.splitlines()))


def _pairs(before: list[str], after: list[str]) -> Iterator[Pair]:
    # Blank lines and closing brackets are common everywhere, so they are no anchors.
    matcher = SequenceMatcher(lambda text: not text.strip(" )]}"), before, after, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        kind = {"equal": "same", "delete": "cut", "insert": "new", "replace": "changed"}[tag]
        for at in range(max(i2 - i1, j2 - j1)):
            one = i1 + at if i1 + at < i2 else None
            other = j1 + at if j1 + at < j2 else None
            shown = kind if one is not None and other is not None else "cut" if other is None else "new"
            yield Pair(
                shown,
                None if one is None else one + 1,
                None if one is None else before[one],
                None if other is None else other + 1,
                None if other is None else after[other],
            )
