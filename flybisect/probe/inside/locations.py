"""Cheaper source locations while tracing, the same ones.

Up to 0.3 FlyDSL asks `inspect.getframeinfo` for every operation that it builds, which walks the position
table of the kernel's whole code object each time: most of the tracing time of a long kernel. Here the
table and the file's name are kept per code object; what is answered stays the same. Newer releases do
so themselves.
"""

from __future__ import annotations

import dis
import importlib
import inspect
import types
from typing import Any

_POSITIONS: Any = getattr(dis, "Positions", None)
"""From Python 3.11 on."""


def install() -> None:
    """For the FlyDSL that this process has imported; does nothing where it would not help."""
    meta: Any = importlib.import_module("flydsl.expr.meta")
    asking = getattr(meta, "capture_user_location", None)
    if not isinstance(asking, types.FunctionType) or "getframeinfo" not in asking.__code__.co_names:
        return
    if getattr(meta, "inspect", None) is not inspect or _POSITIONS is None:
        return
    meta.inspect = _inspect_with_memory()


def _inspect_with_memory() -> types.ModuleType:
    """A copy of the `inspect` module for one importer, with a quicker `getframeinfo`."""
    ours = types.ModuleType("inspect")
    ours.__dict__.update(vars(inspect))
    ours.getframeinfo = _Memory().getframeinfo  # type: ignore[attr-defined]
    return ours


class _Memory:
    def __init__(self) -> None:
        # By identity, since code objects of different files can compare equal; the code is kept alive.
        self._known: dict[int, tuple[types.CodeType, str, list[Any]]] = {}

    def getframeinfo(self, frame: Any, context: int = 1) -> Any:
        if context > 0 or not isinstance(frame, types.FrameType) or frame.f_lasti < 0:
            return inspect.getframeinfo(frame, context)
        code, filename, positions = self._of(frame)
        place = positions[frame.f_lasti // 2]
        if place.lineno is None:
            place = place._replace(lineno=frame.f_lineno)
        traceback: Any = inspect.Traceback
        return traceback(filename, place.lineno, code.co_name, None, None, positions=place)

    def _of(self, frame: types.FrameType) -> tuple[types.CodeType, str, list[Any]]:
        code = frame.f_code
        known = self._known.get(id(code))
        if known is None:
            filename = inspect.getsourcefile(frame) or inspect.getfile(frame)
            code_positions: Any = getattr(code, "co_positions")  # noqa: B009 (not before Python 3.11)
            positions = [_POSITIONS(*place) for place in code_positions()]
            known = self._known[id(code)] = (code, filename, positions)
        return known
