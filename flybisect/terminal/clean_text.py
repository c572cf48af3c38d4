"""Cleans printed text, so that output of a trial, a file or a clone never controls the terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)"  # C0 and C1: escapes, bells, backspaces
    "|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"  # what reorders or hides
)


def visible(text: str) -> str:
    """Control characters, and those that change a line's direction, as Python writes them (`\\x1b`)."""
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


class Cleaned:
    """A stream that cleans what is written to it, and otherwise behaves like the stream that it wraps."""

    def __init__(self, stream: TextIO) -> None:
        self.steered = stream
        """For code that draws on a terminal and cleans its text itself."""

    def write(self, text: str) -> int:
        self.steered.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.write(line)

    def __iter__(self) -> Iterator[str]:
        return iter(self.steered)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.steered, name)


@contextmanager
def cleaning() -> Iterator[None]:
    """Everything printed in this context is cleaned."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, Cleaned(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def console(*, stderr: bool = False) -> Console:
    """A console to draw on. Clean the text before drawing it."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=getattr(stream, "steered", stream), highlight=False)
