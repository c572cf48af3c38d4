"""Progress of a reduction on stderr: a live view on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rich.live import Live
from rich.text import Text

from flybisect.judge.judge import Judge
from flybisect.reduce.hint import Pass
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.source.source import count_statements
from flybisect.terminal import clean_text as terminal
from flybisect.terminal.clean_text import visible
from flybisect.terminal.estimate import Estimate
from flybisect.terminal.sparkline import curve

PLAIN_SECONDS = 2.0
"""Between two plain lines."""
CURVE_WIDTH = 24


class Show(Protocol):
    """Receives the steps of a reduction."""

    def step(self, step: ReductionStep) -> None: ...

    def verifying(self, text: str) -> None:
        """The reduced script is now run once more, cold."""
        ...


@contextmanager
def progress(judge: Judge, source: str, passes: Sequence[Pass], quiet: bool) -> Iterator[Show]:
    """Shows the steps of a reduction while the context is open."""
    console = terminal.console(stderr=True)
    if quiet:
        yield SilentProgress()
    elif console.is_terminal and not console.is_dumb_terminal:
        view = LiveView(judge, source, passes)
        with Live(get_renderable=view.lines, console=console, refresh_per_second=4, transient=True):
            yield view
    else:
        yield PlainProgress(judge, source)


class SilentProgress:
    def step(self, step: ReductionStep) -> None:
        return None

    def verifying(self, text: str) -> None:
        return None


class PlainProgress:
    """A line for each better script, not more often than every `PLAIN_SECONDS`."""

    def __init__(self, judge: Judge, source: str) -> None:
        self._judge = judge
        self._start = count_statements(source)
        self._shown = source
        self._last = 0.0

    def step(self, step: ReductionStep) -> None:
        now = time.monotonic()
        if step.text == self._shown or now - self._last < PLAIN_SECONDS:
            return
        self._shown, self._last = step.text, now
        self._say(step.activity, step.text)

    def verifying(self, text: str) -> None:
        self._say("cold run", text)

    def _say(self, activity: str, text: str) -> None:
        counts = self._judge.statistics
        print(
            f"{counts.seconds:6.1f} s  {activity}: {count_statements(text)} of {self._start} statements, "
            f"{len(text)} characters, {counts.compiles} compiles",
            file=sys.stderr,
            flush=True,
        )


class LiveView:
    """Three lines: the current activity, the size of the script, the cost so far and the time left.

    `step` is called in the search's thread, `lines` in the thread that draws.
    """

    def __init__(self, judge: Judge, source: str, passes: Sequence[Pass]) -> None:
        self._judge = judge
        self._jobs = judge.jobs
        self._text = source
        self._activity = "first run of the script"
        self._tried = ""
        self._ending = False
        self._start = self._now = count_statements(source)
        self._points = [(0.0, float(self._start))]
        self._estimate = Estimate(passes)

    def step(self, step: ReductionStep) -> None:
        counts = self._judge.statistics
        self._activity, self._tried = step.activity, step.tried
        if step.text != self._text:
            self._text = step.text
            self._now = count_statements(step.text)
            self._points.append((counts.seconds, float(self._now)))
        proving = step.activity.startswith("verify ")
        self._estimate.note(step.text, proving, counts.candidates, counts.seconds)

    def verifying(self, text: str) -> None:
        self._activity, self._tried = "cold run of the result", ""
        self._ending = True

    def lines(self) -> Text:
        """What is drawn."""
        counts = self._judge.statistics
        pace = counts.compiles / counts.seconds if counts.seconds else 0.0
        left = None if self._ending else self._estimate.seconds_left(counts.candidates, counts.seconds)
        shape = curve(list(self._points), counts.seconds, CURVE_WIDTH)
        workers = f"{self._jobs} worker{'s' if self._jobs > 1 else ''}"
        lines = [
            f"{self._activity}  {' '.join(self._tried.split())}",
            f"{self._now} of {self._start} statements  {shape}",
            f"{counts.compiles} compiles, {pace:.1f}/s, {workers}; {duration(counts.seconds)}"
            + ("" if left is None else f", about {duration(left)} left"),
        ]
        return Text(visible("\n".join(lines)), no_wrap=True, overflow="ellipsis")


def duration(seconds: float) -> str:
    """`40 s`, `3 min 20 s`, `1 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
