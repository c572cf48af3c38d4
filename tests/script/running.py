"""Running generated scripts in this process, with `toy` and the standard library alone."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import io
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import Any

from tests.script.modules import toy

LINES = 50_000
"""How many lines a script may run; one that goes on longer loops."""
FILE = "<generated>"


@dataclass(frozen=True)
class Run:
    """What a script did."""

    ended_well: bool
    printed: str
    needles: tuple[int, ...]


class _Endless(BaseException):
    pass


def run(text: str) -> Run:
    """As `__main__`. Every exception counts as a bad end; whatever a script may raise is its own."""
    toy.needles.clear()
    out = io.StringIO()
    scope = {"__name__": "__main__", "__builtins__": {**vars(builtins), "__import__": _import}}
    before = sys.gettrace()
    try:
        code = compile(text, FILE, "exec", dont_inherit=True)
        sys.settrace(_Budget().enter)
        with contextlib.redirect_stdout(out):
            exec(code, scope)
        ended_well = True
    except (Exception, _Endless):  # noqa: BLE001 - the script's
        ended_well = False
    finally:
        sys.settrace(before)
    return Run(ended_well, out.getvalue(), tuple(toy.needles))


def _import(
    name: str,
    variables: Mapping[str, Any] | None = None,
    local: Mapping[str, Any] | None = None,
    names: Any = (),
    level: int = 0,
) -> ModuleType:
    return toy if name == "toy" else importlib.__import__(name, variables, local, names or (), level)


class _Budget:
    def __init__(self) -> None:
        self._left = LINES

    def enter(self, frame: FrameType, event: str, argument: object) -> Any:
        return self._line if frame.f_code.co_filename == FILE else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        self._left -= 1
        if self._left < 0:
            raise _Endless
        return self._line
