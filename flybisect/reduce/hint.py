"""What a pass proposes, and what it may know.

A pass does not search. It lists hints, each a cut that makes the script simpler on its own; the
engine finds out which of them can be made together. (The separation is C-Vise's.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from flybisect.source.cut import Cut
from flybisect.source.instrument import ObservedTypes
from flybisect.source.launches import Launch
from flybisect.source.scopes import Statements

MOVED = 0.15
"""What it is worth that a statement is gone whose text stands in another one now."""
MOSTLY, PERHAPS, RARELY = 0.97, 0.6, 0.35
"""Chances that a hint of a pass holds, from runs on kernels of FlyDSL."""


@dataclass(frozen=True)
class Hint:
    """One simplification of the current script."""

    label: str
    """Says the change by its content, not its place, so that a failure is remembered across edits."""
    cut: Cut
    rank: int = 0
    """Hints of a lower rank are searched first; the text is read anew in between."""
    likely: bool = False
    """True for one that mostly holds, in a pass whose others do not."""


@dataclass(frozen=True)
class DynamicFacts:
    """What trials of the current script showed; empty where nothing is known."""

    lines: frozenset[int] | None = None
    """Lines that ran, under the case and under what it is compared with."""
    failing_line: int | None = None
    """The script's line that the compiler names in its error."""
    located: bool = False
    """True when it named a line of the unreduced script, so that slices say what leads to the bug."""
    kinds: ObservedTypes = field(default_factory=ObservedTypes)
    """What the values of expressions were. Keyed by text, so most of it outlives an edit."""
    launches: tuple[Launch, ...] = ()
    """The calls of launchers that all runs made alike, the last one last."""
    markers: frozenset[str] = frozenset()
    """Text that tells the case from what it is compared with, as `recast_iter` in a line that only
    one of the two runs. While a script has it, the comparison is likely to come out as before."""
    failed: frozenset[str] = frozenset()
    """Labels of hints that failed, on this text or an earlier one."""
    learned: str = ""
    """The text that runs with the recorder told of; what stands in it as well is known for sure."""
    original: str = ""
    """The unreduced text; what stands in it is left as its author wrote it."""

    def failing(self, table: Statements) -> frozenset[int]:
        """The statement that the compiler names in its error, with those inside of it; nothing else need read
        what they give."""
        entry = None if self.failing_line is None else table.at_line(self.failing_line)
        return frozenset() if entry is None else frozenset(table.subtree(entry.number))


class PassPhase(Enum):
    """When a pass has its turn. One begins when nothing of those before it changes anything any more."""

    FIRST = "what is known to be of no use"
    """Passes one after the other, since each makes way for the next."""
    COARSE = "statements and what holds them"
    FINE = "what is inside statements"
    """There are many such changes, and the fewer statements are left, the fewer."""
    NUMBERS = "numbers"
    """They make nothing else possible."""
    COSMETIC = "layout"
    """The syntax tree stays as it is: all of these are made at the end, in one trial."""


@dataclass(frozen=True)
class Pass:
    """A generator of hints, as it is listed by name."""

    name: str
    summary: str
    """One line that says what it takes away."""
    hints: Callable[[Statements, DynamicFacts], Sequence[Hint]]
    phase: PassPhase = PassPhase.COARSE
    shortcut: bool = False
    """True for changes that other passes make in smaller steps: they are tried in large groups only, and
    have no part in the proof that the result is 1-minimal."""
    again: bool = False
    """True where a hint that holds makes way for another like it, as half of a number for a quarter."""
    chance: float = MOSTLY
    """That a hint holds, before the run has shown how often they do; see `flybisect.search.beliefs`."""
    worth: float = 1.0
    """Of each statement that a hint takes; less where its text only moves into another one."""
