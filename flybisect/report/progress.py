"""How a reduction goes, on stderr: a live view on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from flybisect.judge import Judge
from flybisect.reduce.reducer import Step
from flybisect.script.source import count_statements

PLAIN_SECONDS = 2.0
"""Between two plain lines."""


class Show(Protocol):
    def step(self, step: Step) -> None: ...

    def verifying(self, text: str) -> None:
        """The reduced script is run once more, cold."""
        ...


@contextmanager
def progress(judge: Judge, source: str, quiet: bool) -> Iterator[Show]:
    """What is told of the steps of a reduction while the context is open."""
    yield Silent() if quiet else Plain(judge, source)


class Silent:
    def step(self, step: Step) -> None:
        return None

    def verifying(self, text: str) -> None:
        return None


class Plain:
    """A line for each better script, not more often than every `PLAIN_SECONDS`."""

    def __init__(self, judge: Judge, source: str) -> None:
        self._judge = judge
        self._start = count_statements(source)
        self._told = source
        self._last = 0.0

    def step(self, step: Step) -> None:
        now = time.monotonic()
        if step.text == self._told or now - self._last < PLAIN_SECONDS:
            return
        self._told, self._last = step.text, now
        self._say(step.activity, step.text)

    def verifying(self, text: str) -> None:
        self._say("cold run", text)

    def _say(self, activity: str, text: str) -> None:
        counts = self._judge.counts
        print(
            f"{counts.seconds:6.1f} s  {activity}: {count_statements(text)} of {self._start} statements, "
            f"{counts.compiles} compiles",
            file=sys.stderr,
            flush=True,
        )
