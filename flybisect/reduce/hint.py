"""What a pass proposes, and what it may know.

A pass does not search. It lists hints, each a cut that makes the script simpler on its own; the
engine finds out which of them can be made together. (The separation is C-Vise's.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from flybisect.script.cut import Cut
from flybisect.script.scopes import Statements


@dataclass(frozen=True)
class Hint:
    """One simplification of the current script."""

    label: str
    """Says the change by its content, not its place, so that a failure is remembered across edits."""
    cut: Cut
    rank: int = 0
    """Hints of a lower rank are searched first; the text is read anew in between."""


@dataclass(frozen=True)
class Facts:
    """What trials of the current script showed; empty where nothing is known."""

    lines: frozenset[int] | None = None
    """Lines that ran, under the case and under what it is compared with."""
    failing_line: int | None = None
    """The script's line that the compiler names in its error."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Expression of the script (`args.copy`, `WINDOW`) → the literal that it was every time."""


@dataclass(frozen=True)
class Pass:
    """A generator of hints, as it is listed by name."""

    name: str
    summary: str
    """One line that says what it takes away."""
    hints: Callable[[Statements, Facts], Sequence[Hint]]
    free: bool = False
    """True when its edits leave the syntax tree as it is, so that no trial is needed."""
