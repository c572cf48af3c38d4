"""How a reduction goes, kept in the session: compiles, and statements left."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from flybisect.judge.judge import Judge
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.session.parts import Part, load_part, save_part
from flybisect.source.source import count_statements

SECONDS = 5.0
"""Between two times that it is written while a reduction runs."""


class Curve:
    """Takes note of every better script; `save` writes what is not on disk yet."""

    def __init__(self, folder: Path, judge: Judge, source: str) -> None:
        """Goes on behind what an earlier run of the session drew."""
        self._folder = folder
        self._judge = judge
        self._noted = source
        self._points = curve_of(folder)
        self._before = self._points[-1][0] if self._points else 0
        self._saved = time.monotonic()
        if not self._points:
            self._points.append((0, count_statements(source)))

    def noting(self, notice: Callable[[ReductionStep], None]) -> Callable[[ReductionStep], None]:
        """`notice`, with a note taken before it."""

        def note(step: ReductionStep) -> None:
            self._note(step)
            notice(step)

        return note

    def save(self) -> None:
        save_part(self._folder, Part.CURVE, self._points)
        self._saved = time.monotonic()

    def _note(self, step: ReductionStep) -> None:
        if not step.confirmed or step.text == self._noted:
            return
        self._noted = step.text
        left = count_statements(step.text)
        # A run that is gone on with passes all that it had come through before.
        if left < self._points[-1][1]:
            self._points.append((self._before + self._judge.statistics.compiles, left))
            if time.monotonic() - self._saved > SECONDS:
                self.save()


def curve_of(folder: Path) -> list[tuple[int, int]]:
    """Empty where the session kept none."""
    found = load_part(folder, Part.CURVE)
    try:
        return [(int(at), int(left)) for at, left in found or ()]
    except (TypeError, ValueError, OverflowError):
        return []
