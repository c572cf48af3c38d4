"""Exceptions as plain facts: what was raised, where in the script, and what the compiler said with it."""

from __future__ import annotations

import types
from typing import Any

from . import irlines, tracebacks
from .recorder import Recorder

TEXT_LIMIT = 64 * 1024
"""Characters of a message that are kept."""


class Faults:
    """Writes exceptions to the record, each once however often it is seen on its way up."""

    def __init__(self, recorder: Recorder, script: str) -> None:
        self._recorder = recorder
        self._script = script
        self._seen: list[BaseException] = []
        self._lines: dict[int, dict[str, int]] = {}

    def place_ir_lines(self, error: BaseException, located: str) -> None:
        """Note which script lines the IR lines stand for that `error` names."""
        named = irlines.places(_message(error))
        for frame_line in (f["line"] for d in _diagnostics(error) for f in d["chain"] if f["file"] == "-"):
            if frame_line not in named:
                named.append(frame_line)
        found = {}
        for line in named:
            script_line = irlines.script_line(located, line, self._script)
            if script_line is not None:
                found[str(line)] = script_line
        self._lines[id(error)] = found

    def raised(self, error: BaseException) -> None:
        """A compile raised this; whether the script catches it shows later."""
        if any(error is seen for seen in self._seen):
            return
        self._seen.append(error)
        self._recorder.fact("raised", number=len(self._seen) - 1, **self._describe(error))

    def uncaught(self, error: BaseException) -> None:
        """This ended the script."""
        chain = tracebacks.chain(error)
        numbers = [n for n, seen in enumerate(self._seen) if any(seen is link for link in chain)]
        # A script may raise one of its own over what a compile raised.
        raised = (link for link in chain if any(link is seen for seen in self._seen))
        self._recorder.fact("uncaught", ends=numbers, **self._describe(next(raised, error)))

    def _describe(self, error: BaseException) -> dict[str, Any]:
        frames = _frames(error.__traceback__)
        inside = [line for file, line, _ in frames if file == self._script]
        line = inside[-1] if inside else None
        if line is None and isinstance(error, SyntaxError) and error.filename == self._script:
            line = error.lineno
        return {
            "type": type(error).__name__,
            "module": type(error).__module__,
            "message": _message(error),
            "line": line,
            "innermost": _innermost(error, frames, self._script),
            "during": _during(error),
            "diagnostics": _diagnostics(error),
            "ir_lines": self._ir_lines(error),
            "script": self._script,
        }

    def _ir_lines(self, error: BaseException) -> dict[str, int]:
        known = (self._lines.get(id(link)) for link in tracebacks.chain(error))
        return next((lines for lines in known if lines is not None), {})


def _message(error: BaseException) -> str:
    try:
        return str(error)[:TEXT_LIMIT]
    except Exception:  # `__str__` is the script's or FlyDSL's own code
        return ""


def _frames(trace: types.TracebackType | None) -> list[tuple[str, int, str]]:
    """(file, line, module's name) of each frame, outermost first."""
    frames = []
    trace = tracebacks.without_own(trace)
    while trace is not None:
        frame = trace.tb_frame
        name = frame.f_globals.get("__name__")
        frames.append((frame.f_code.co_filename, trace.tb_lineno or 0, name if isinstance(name, str) else ""))
        trace = trace.tb_next
    return frames


def _during(error: BaseException) -> str:
    """`kernel`, `launcher` or `host`: also where FlyDSL raised another in its place on the way up."""
    codes = set()
    for link in tracebacks.chain(error):
        trace = link.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            codes.add((trace.tb_frame.f_globals.get("__name__"), code.co_name))
            trace = trace.tb_next
    if ("flydsl.compiler.kernel_function", "_emit_kernel") in codes:
        return "kernel"
    traced = any(module == "flydsl.compiler.jit_function" for module, _ in codes)
    return "launcher" if traced else "host"


def _innermost(error: BaseException, frames: list[tuple[str, int, str]], script: str) -> str:
    """`script`, for modules beside it too, or the package of the innermost frame."""
    if isinstance(error, TypeError) and frames and frames[-1][2] == "flydsl.expr.meta":
        # Its wrapper hands arguments on: where they do not fit, it is the caller's call.
        frames = [frame for frame in frames if frame[2] != "flydsl.expr.meta"]
    if not frames:
        return "script"
    file, _, module = frames[-1]
    by_script = file == script or module == "__main__" or tracebacks.is_script(file, module)
    return "script" if by_script else module.partition(".")[0]


def _diagnostics(error: BaseException) -> list[dict[str, Any]]:
    """What the compiler attached: FlyDSL's records where it has them, else MLIR's own, else nothing."""
    records = getattr(error, "diagnostics", None)
    if not isinstance(records, list):
        records = getattr(error, "error_diagnostics", None)
    found = []
    for record in records if isinstance(records, list) else []:
        text = str(getattr(record, "message", "") or record)
        found.append({"text": text[:TEXT_LIMIT], "notes": _notes(record), "chain": _places(record)})
    return found


def _notes(record: Any) -> list[str]:
    notes = getattr(record, "notes", None) or ()
    return [str(getattr(note, "message", note))[:TEXT_LIMIT] for note in notes]


def _places(record: Any) -> list[dict[str, Any]]:
    chain = getattr(record, "chain", None) or ()
    return [{"file": str(frame.filename), "line": int(frame.line)} for frame in chain]
