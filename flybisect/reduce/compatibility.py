"""Which hints may be made together, told from what they remove and write, before any text is built."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass

from flybisect.reduce.hint import Hint
from flybisect.source.cut import Cut
from flybisect.source.scopes import Key, Statement, Statements


@dataclass(frozen=True)
class _Touched:
    """By one hint."""

    removes: frozenset[Key]
    """Variables that nothing binds any more."""
    reads: frozenset[Key]
    """Variables that its edits read where they stand."""
    spans: tuple[tuple[int, int], ...]
    """Of its edits, as offsets."""


class Compatibility:
    """Groups the hints of one search. What it lets through may still not go together when it is built."""

    def __init__(self, table: Statements, hints: Sequence[Hint]) -> None:
        self._table = table
        self._starts = [entry.start for entry in table.all]
        self._touched = [self._of(hint.cut) for hint in hints]

    def group(self, hints: frozenset[int], first: frozenset[int] = frozenset()) -> frozenset[int]:
        """As many of them as go with those before them, those of `first` before all; the first always."""
        chosen: list[int] = []
        removed: set[Key] = set()
        read: set[Key] = set()
        spans: list[tuple[int, int]] = []
        for at in [*sorted(hints & first), *sorted(hints - first)]:
            each = self._touched[at]
            apart = removed.isdisjoint(each.reads) and read.isdisjoint(each.removes)
            if chosen and not (apart and not any(_overlaps(spans, span) for span in each.spans)):
                continue
            chosen.append(at)
            removed |= each.removes
            read |= each.reads
            for span in each.spans:
                bisect.insort(spans, span)
        return frozenset(chosen)

    def _of(self, cut: Cut) -> _Touched:
        gone = {part for number in cut.statements for part in self._table.subtree(number)}
        bound = {
            self._table.owner(name, scope) for part in gone for name, scope in self._table.all[part].binds
        }
        binders = self._table.binders
        removes = {key for key in bound if all(each.number in gone for each in binders.get(key, ()))}
        reads = set()
        for edit in cut.edits:
            entry = self._around(edit.start)
            if entry is not None:
                keys = (self._table.resolve(word, entry.scope) for word in edit.words)
                reads |= {key for key in keys if key is not None}
        spans = tuple(sorted((edit.start, edit.end) for edit in cut.edits))
        return _Touched(frozenset(removes), frozenset(reads), spans)

    def _around(self, offset: int) -> Statement | None:
        """The innermost statement that covers an offset."""
        at = bisect.bisect_right(self._starts, offset) - 1
        entry = self._table.all[at] if at >= 0 else None
        while entry is not None and entry.end <= offset:
            entry = None if entry.parent is None else self._table.all[entry.parent]
        return entry


def _overlaps(spans: list[tuple[int, int]], span: tuple[int, int]) -> bool:
    """True where one of the spans, sorted and apart, shares a character with another one."""
    at = bisect.bisect_left(spans, span)
    before = at > 0 and spans[at - 1][1] > span[0]
    behind = at < len(spans) and spans[at][0] < span[1]
    return before or behind
