"""Cheaper source locations while tracing, the same ones.

Up to 0.3 FlyDSL asks `inspect.getframeinfo` for every operation that it builds, which walks the position
table of the kernel's whole code object each time: most of the tracing time of a long kernel. Here the
table and the file's name are kept per code object, and a location by the instructions that lead to it, so
that an unrolled loop asks once; what is answered stays the same. Newer releases do the first themselves.
"""

from __future__ import annotations

import dis
import importlib
import inspect
import sys
import types
from collections.abc import Callable
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
    meta.capture_user_location = _kept(meta, asking)


def _inspect_with_memory() -> types.ModuleType:
    """A copy of the `inspect` module for one importer, with a quicker `getframeinfo`."""
    ours = types.ModuleType("inspect")
    ours.__dict__.update(vars(inspect))
    ours.getframeinfo = _Memory().getframeinfo  # type: ignore[attr-defined]
    return ours


def _kept(meta: Any, asking: Callable[[], Any]) -> Callable[[], Any]:
    """`asking`, with what it answered kept by the context and by where each frame stands up to the kernel."""
    known: dict[tuple[int, ...], tuple[list[Any], Any]] = {}

    def capture_user_location() -> Any:
        boundary = (getattr(meta._tls, "stack", None) or [None])[-1]
        context = meta.ir.Context.current
        place, kept = [id(context), meta.env.debug.max_loc_depth], [context]
        frame = sys._getframe(1) if boundary is not None else None
        while frame is not None:
            code = frame.f_code
            place += (id(code), frame.f_lasti)
            kept.append(code)
            if code is boundary:
                break
            frame = frame.f_back
        if frame is None:
            return asking()
        found = known.get(tuple(place))
        if found is None:
            # What has an identity in the key is kept alive with it.
            found = known[tuple(place)] = (kept, asking())
        return found[1]

    # FlyDSL passes over frames of such files: this one is none of the user's.
    capture_user_location.__code__ = capture_user_location.__code__.replace(co_filename="<flybisect>")
    return capture_user_location


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
