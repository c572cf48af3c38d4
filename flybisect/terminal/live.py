"""Progress of a search over FlyDSLs, or of a whole run: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from flybisect.judge.judge import Judge
from flybisect.reduce.hint import Pass
from flybisect.terminal import clean_text as terminal
from flybisect.terminal.clean_text import visible
from flybisect.terminal.progress import Show, duration, progress
from flybisect.workflows.findings import RunStep

ENDPOINTS = 2
"""Of a range. They are tested in addition to the halvings."""


@contextmanager
def watching(name: str, quiet: bool) -> Iterator[NoLines]:
    """Shows the progress of a search while the context is open. `name`: the step, for example `releases`."""
    console = terminal.console(stderr=True)
    if quiet:
        yield NoLines()
    elif console.is_terminal and not console.is_dumb_terminal:
        screen = Screen(console)
        screen.begin(name)
        try:
            yield screen
        finally:
            screen.stop()
    else:
        yield PlainLines()


class NoLines:
    """Shows nothing."""

    def begin(self, name: str) -> None:
        return None

    def ended(self, step: RunStep) -> None:
        return None

    def notify(self, line: str) -> None:
        return None

    def bisecting(self, count: int) -> None:
        return None

    def trying_all(self, count: int) -> None:
        """From now on `count` FlyDSLs are tested, one after the other."""

    def trying(self, name: str) -> None:
        return None

    def reduction(self, judge: Judge, source: str, passes: Sequence[Pass]) -> AbstractContextManager[Show]:
        return progress(judge, source, passes, True)


class PlainLines(NoLines):
    """A line for each event."""

    def __init__(self) -> None:
        self._pace = Pace()

    def ended(self, step: RunStep) -> None:
        self.notify(step_line(step))

    def notify(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    def bisecting(self, count: int) -> None:
        self._pace = Pace(halvings(count))

    def trying_all(self, count: int) -> None:
        self._pace = Pace(count, exact=True)

    def trying(self, name: str) -> None:
        self._pace.note()
        self.notify(f"testing {name} ({self._pace.words()})")

    def reduction(self, judge: Judge, source: str, passes: Sequence[Pass]) -> AbstractContextManager[Show]:
        return progress(judge, source, passes, False)


class Screen(NoLines):
    """One line that is redrawn, with the results so far above it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._pace = Pace()
        self._name = ""
        self._tried = ""

    def begin(self, name: str) -> None:
        self._name, self._tried = name, ""
        self._pace = Pace()
        self._start()

    def ended(self, step: RunStep) -> None:
        style = "green" if step.done else "yellow"
        self._console.print(Text(visible(step_line(step)), style=style))

    def notify(self, line: str) -> None:
        self._console.print(Text(visible(line), style="dim"))

    def bisecting(self, count: int) -> None:
        self._pace = Pace(halvings(count))

    def trying_all(self, count: int) -> None:
        self._pace = Pace(count, exact=True)

    def trying(self, name: str) -> None:
        self._tried = name
        self._pace.note()

    @contextmanager
    def reduction(self, judge: Judge, source: str, passes: Sequence[Pass]) -> Iterator[Show]:
        self.stop()  # the reduction has its own view
        with progress(judge, source, passes, False) as show:
            yield show
        self._start()

    def stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def line(self) -> Text:
        """The text to draw."""
        what = f"{self._name}: testing {self._tried}" if self._tried else self._name
        words = self._pace.words()
        return Text(visible(f"{what}  {words}"), no_wrap=True, overflow="ellipsis")

    def _start(self) -> None:
        if self._live is None:
            self._live = Live(
                get_renderable=self.line, console=self._console, refresh_per_second=4, transient=True
            )
            self._live.start()


class Pace:
    """Tests done, tests expected, and the time left."""

    def __init__(self, expected: int | None = None, *, exact: bool = False) -> None:
        """`expected`: number of FlyDSLs to test; None when unknown."""
        self._began = time.monotonic()
        self._tried = 0
        self._expected = expected
        self._about = "" if exact else "about "

    def note(self) -> None:
        self._tried += 1

    def words(self) -> str:
        """`3 of about 6, 40 s, about 40 s left`."""
        seconds = time.monotonic() - self._began
        if self._expected is None or not self._tried:
            return duration(seconds)
        expected = max(self._expected, self._tried)
        done = self._tried - 1
        left = f", about {duration((expected - done) * seconds / done)} left" if done else ""
        return f"{self._tried} of {self._about}{expected}, {duration(seconds)}{left}"


def halvings(count: int) -> int:
    """About how many of `count` FlyDSLs a bisection tests."""
    return ENDPOINTS + math.ceil(math.log2(max(count - 1, 1)))


def step_line(step: RunStep) -> str:
    """`releases: fixed in 0.3.1, last affected 0.3.0`."""
    return f"{step.name}: {step.told}" if step.done else f"{step.name}: not done: {step.told}"
