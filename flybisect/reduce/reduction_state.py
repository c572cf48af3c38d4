"""Where a reduction stands: the best script so far, and what is remembered of what failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flybisect.judge.question import Reply
from flybisect.search.beliefs import Beliefs
from flybisect.source.cut import Cut

NEAREST, FARTHEST = 2, 8
"""Successes that may rest on trust in the baseline, at first and at most."""
MUCH = 0.06
"""Part of the script that they may take away together."""


@dataclass(frozen=True)
class ReductionStep:
    """Where a reduction stands, for whoever shows progress."""

    activity: str
    """Name of the pass, with `verify ` before it while minimality is being proved."""
    text: str
    """The best script so far."""
    confirmed: bool = True
    """False while its verdict rests on the trust that what the case compares with is as it was."""
    tried: str = ""
    """Label of the hint whose turn it is; empty when the best script has just changed."""


@dataclass(frozen=True)
class Trusted:
    """A success that was not judged in full."""

    text: str
    labels: frozenset[str]
    share: float
    """Part of the script that it took away."""


class ReductionState:
    """What changes while a script is reduced. `notice` is told of every step; it must not raise."""

    def __init__(self, notice: Callable[[ReductionStep], None]) -> None:
        self._notice = notice
        self.best = ""
        self.confirmed = ""
        """The smallest script that was judged in full; what is left when the run is interrupted."""
        self.failed: set[str] = set()
        """Labels of hints that failed, on this text or an earlier one."""
        self.trail: list[Trusted] = []
        """The successes since the last one that was judged in full."""
        self.distance = NEAREST
        """How many of these there may be."""
        self.broken = 0
        """Successes that were given up, since the baseline was not what it was taken for."""
        self.beliefs = Beliefs()
        self.failing_line: int | None = None
        """The line of `best` that the compiler names."""
        self._confirmed_line: int | None = None
        self._hopeless: tuple[str, list[Cut]] = "", []

    def copy(self) -> ReductionState:
        """The same, going its own way; nobody is told of its steps."""
        other = ReductionState(lambda step: None)
        other.best, other.confirmed = self.best, self.confirmed
        other.failed, other.trail = set(self.failed), list(self.trail)
        other.distance, other.beliefs = self.distance, self.beliefs.copy()
        other.failing_line, other._confirmed_line = self.failing_line, self._confirmed_line
        text, cuts = self._hopeless
        other._hopeless = text, list(cuts)
        return other

    def begin(self, text: str, failing_line: int | None) -> None:
        """With a script that was judged in full."""
        self.best = self.confirmed = text
        self.failing_line = self._confirmed_line = failing_line

    @property
    def due(self) -> bool:
        """Whether the best script has to be judged in full before more is tried."""
        far = len(self.trail) >= self.distance
        return bool(self.trail) and (far or sum(each.share for each in self.trail) > MUCH)

    def accept(
        self, text: str, labels: frozenset[str], reply: Reply, *, trusted: bool, share: float = 0.0
    ) -> None:
        """A smaller script that holds; with `trusted`, if the baseline is as it was. `share`: see Trusted."""
        self.failing_line = self._line_in(text) if reply.predicted else reply.failing_line
        self.best = text
        if trusted:
            self.trail.append(Trusted(text, labels, share))
        else:
            self.confirmed, self._confirmed_line = text, self.failing_line
            self.trail = []

    def _line_in(self, text: str) -> int | None:
        """Where a script that was not judged has the text of the failing line."""
        if self.failing_line is None:
            return None
        failing, lines = self.best.split("\n")[self.failing_line - 1], text.split("\n")
        return lines.index(failing) + 1 if failing in lines else None

    def take_back(self) -> None:
        """The successes since the last that was judged in full do not hold together."""
        self.best, self.failing_line = self.confirmed, self._confirmed_line

    def confirm(self, reply: Reply) -> None:
        """The best script was judged in full."""
        if not reply.predicted:
            self.failing_line = reply.failing_line
        self.confirmed, self._confirmed_line = self.best, self.failing_line
        self.tell("confirmed")

    def end_trail(self, *, holds: bool) -> None:
        """Trust held, or it did not."""
        self.trail = []
        self.distance = min(FARTHEST, 2 * self.distance) if holds else max(1, self.distance // 2)

    def hopeless(self, text: str) -> list[Cut]:
        """Closed cuts of whole statements that failed on this text. Statements have other numbers in
        another text, so they are forgotten with it."""
        if self._hopeless[0] != text:
            self._hopeless = text, []
        return self._hopeless[1]

    def tell(self, activity: str, tried: str = "") -> None:
        """Shows where things stand."""
        self._notice(ReductionStep(activity, self.best, self.best == self.confirmed, tried))
