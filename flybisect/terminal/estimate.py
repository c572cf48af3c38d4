"""Estimates how long a reduction may still take.

At the end every hint of every pass is tried once on the smallest script. So at least as many trials are
left as the best script has hints, at the pace so far. Early estimates are too high, because successful cuts
remove hints; the estimate falls as the script shrinks.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Pass
from flybisect.source.scopes import Statements
from flybisect.source.source import Source

SHARE = 0.02
"""Share of the run's time that counting hints may take."""


class Estimate:
    """Estimates the seconds left from the best script, the candidates judged, and the time."""

    def __init__(self, passes: Sequence[Pass]) -> None:
        self._passes = {each.name: each for each in passes}.values()
        self._text = ""
        self._hints: int | None = None
        self._spent = 0.0
        self._proof_began: int | None = None

    def note(self, text: str, proving: bool, candidates: int, seconds: float) -> None:
        """Take note of the best script; `candidates` and `seconds` are those of the whole run so far."""
        if not proving:
            self._proof_began = None
        elif self._proof_began is None or text != self._text:
            self._proof_began = candidates
        if text == self._text or self._spent > SHARE * seconds:
            return
        self._text = text
        began = time.monotonic()
        self._hints = self._count(text)
        self._spent += time.monotonic() - began

    def seconds_left(self, candidates: int, seconds: float) -> float | None:
        """None while too little is known."""
        if self._hints is None or candidates < 5:
            return None
        tried = 0 if self._proof_began is None else candidates - self._proof_began
        return max(0, self._hints - tried) * seconds / candidates

    def _count(self, text: str) -> int:
        table = Statements(Source(text))
        return sum(len(each.hints(table, DynamicFacts())) for each in self._passes)
