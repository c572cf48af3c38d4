"""Edits: replacements of spans. A candidate is the text with some applied."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, order=True)
class Edit:
    """Replaces `[start, end)` by `text`; an empty span is an insertion."""

    start: int
    end: int
    text: str = ""

    @property
    def words(self) -> frozenset[str]:
        """All that may be a name in the text, what stands in strings included."""
        return frozenset(_WORD.findall(self.text))


class Conflict(ValueError):
    """Two edits overlap without one holding the other."""


def merged(edits: Iterable[Edit]) -> list[Edit]:
    """The edits in text order, those that lie inside another one's span dropped, deletions joined.

    Raises Conflict where two overlap in part, or replace the same span differently.
    """
    kept: list[Edit] = []
    for edit in sorted(set(edits), key=lambda e: (e.start, -e.end, e.text)):
        if kept and edit.start < kept[-1].end:
            outer = kept[-1]
            if edit.end > outer.end and not edit.text and not outer.text:
                kept[-1] = Edit(outer.start, edit.end)
                continue
            if edit.end > outer.end:
                raise Conflict(f"edits {outer} and {edit} overlap")
            if (edit.start, edit.end) == (outer.start, outer.end):
                raise Conflict(f"two replacements of {edit.start}:{edit.end}")
            continue
        kept.append(edit)
    return kept


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits applied; every character outside their spans stays.

    Raises Conflict (see `merged`).
    """
    parts: list[str] = []
    at = 0
    for edit in merged(edits):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    parts.append(text[at:])
    return "".join(parts)
