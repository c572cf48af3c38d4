"""Where a reduction stands: the best script so far, and what is remembered of what failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flybisect.script.cut import Cut


@dataclass(frozen=True)
class Step:
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


class Standing:
    """What changes while a script is reduced. `notice` is told of every step; it must not raise."""

    def __init__(self, notice: Callable[[Step], None]) -> None:
        self._notice = notice
        self.best = ""
        self.confirmed = ""
        """The smallest script that was judged in full; what is left when the run is interrupted."""
        self.failed: set[str] = set()
        """Labels of hints that failed, on this text or an earlier one."""
        self.trail: list[Trusted] = []
        """The successes since the last one that was judged in full."""
        self._hopeless: tuple[str, list[Cut]] = "", []

    def copy(self) -> Standing:
        """The same, going its own way; nobody is told of its steps."""
        other = Standing(lambda step: None)
        other.best, other.confirmed = self.best, self.confirmed
        other.failed, other.trail = set(self.failed), list(self.trail)
        text, cuts = self._hopeless
        other._hopeless = text, list(cuts)
        return other

    def begin(self, text: str) -> None:
        """With a script that was judged in full."""
        self.best = self.confirmed = text

    def accept(self, text: str, labels: frozenset[str], trusting: bool) -> None:
        """A smaller script that holds, as far as is known."""
        self.best = text
        if trusting:
            self.trail.append(Trusted(text, labels))
        else:
            self.confirmed = text

    def hopeless(self, text: str) -> list[Cut]:
        """Closed cuts of whole statements that failed on this text. Statements have other numbers in
        another text, so they are forgotten with it."""
        if self._hopeless[0] != text:
            self._hopeless = text, []
        return self._hopeless[1]

    def tell(self, activity: str, tried: str = "") -> None:
        """Shows where things stand."""
        self._notice(Step(activity, self.best, self.best == self.confirmed, tried))
