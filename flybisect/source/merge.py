"""Two changes of one text, made together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True)
class _Change:
    start: int
    """First line of the common text that it replaces."""
    end: int
    lines: tuple[str, ...]


def merge(common: str, ours: str, theirs: str) -> str:
    """`theirs` with the changes of `ours` as well, both being changes of `common`, by lines.

    Where both change the same lines, `ours` counts, and what `theirs` did there is left out.
    """
    lines = common.splitlines(keepends=True)
    mine = list(_changes(lines, ours))
    kept = [each for each in _changes(lines, theirs) if not any(_meet(each, other) for other in mine)]
    result, at = [], 0
    for change in sorted([*mine, *kept], key=lambda each: (each.start, each.end)):
        result += [*lines[at : change.start], *change.lines]
        at = change.end
    return "".join([*result, *lines[at:]])


def _changes(lines: list[str], text: str) -> Iterator[_Change]:
    other = text.splitlines(keepends=True)
    for kind, start, end, first, last in SequenceMatcher(None, lines, other, autojunk=False).get_opcodes():
        if kind == "delete":  # Line by line, so that one that the other keeps does not keep the rest.
            yield from (_Change(line, line + 1, ()) for line in range(start, end))
        elif kind != "equal":
            yield _Change(start, end, tuple(other[first:last]))


def _meet(one: _Change, other: _Change) -> bool:
    """Whether they share a line, or insert at the same place."""
    if one.start == one.end == other.start == other.end:
        return True
    return one.start < other.end and other.start < one.end
