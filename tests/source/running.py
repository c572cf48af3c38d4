"""Running generated scripts in this process, with `toy` and the standard library alone."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import io
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import Any

from tests.source.modules import toy

LINES = 50_000
"""How many lines a script may run; one that goes on longer loops."""
FILE = "<generated>"


@dataclass(frozen=True)
class Run:
    """What a script did."""

    ended_well: bool
    printed: str
    needles: tuple[int, ...]
    lines: frozenset[int]
    """Those of the script that ran."""
    errors: str


class _Endless(BaseException):
    pass


def run(text: str) -> Run:
    """As `__main__`. Every exception counts as a bad end; whatever a script may raise is its own."""
    toy.needles.clear()
    out, errors = io.StringIO(), bytearray()
    importing = _Importing(errors)
    scope = {"__name__": "__main__", "__builtins__": {**vars(builtins), "__import__": importing}}
    before, watch = sys.gettrace(), _Watch()
    try:
        code = compile(text, FILE, "exec", dont_inherit=True)
        sys.settrace(watch.enter)
        with contextlib.redirect_stdout(out):
            exec(code, scope)
        ended_well = True
    except (Exception, _Endless):  # noqa: BLE001 - the script's
        ended_well = False
    finally:
        sys.settrace(before)
    lines = frozenset(watch.lines)
    return Run(ended_well, out.getvalue(), tuple(toy.needles), lines, errors.decode())


class _Importing:
    """`import` for a script: what it writes to file descriptor 2 is kept, as a probe does."""

    def __init__(self, errors: bytearray) -> None:
        self._os = ModuleType("os")
        vars(self._os).update({**vars(os), "write": lambda number, data: errors.extend(data)})

    def __call__(
        self,
        name: str,
        variables: Mapping[str, Any] | None = None,
        local: Mapping[str, Any] | None = None,
        names: Any = (),
        level: int = 0,
    ) -> ModuleType:
        ours = {"toy": toy, "os": self._os}.get(name)
        return ours or importlib.__import__(name, variables, local, names or (), level)


class _Watch:
    """Which lines run, and whether it is too many."""

    def __init__(self) -> None:
        self._left = LINES
        self.lines: set[int] = set()

    def enter(self, frame: FrameType, event: str, argument: object) -> Any:
        return self._line if frame.f_code.co_filename == FILE else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        self._left -= 1
        self.lines.add(frame.f_lineno)
        if self._left < 0:
            raise _Endless
        return self._line
