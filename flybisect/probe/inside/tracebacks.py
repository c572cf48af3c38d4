"""Tracebacks without the tool's own frames: what a reader sees is what the script alone would print."""

from __future__ import annotations

import os
import types
from pathlib import Path

_OWN = str(Path(__file__).resolve().parent) + os.sep

_STANDARD = os.path.dirname(os.__file__) + os.sep


def is_own(filename: str) -> bool:
    return filename.startswith(_OWN)


def is_script(filename: str, module: str) -> bool:
    """True for the script and for modules beside it: neither Python's, nor installed, nor FlyDSL's."""
    elsewhere = filename.startswith((_STANDARD, "<frozen ")) or "-packages/" in filename or is_own(filename)
    return not elsewhere and module.partition(".")[0] != "flydsl"


def without_own(trace: types.TracebackType | None) -> types.TracebackType | None:
    """A copy of `trace` that leaves out every frame of the worker's code."""
    kept: list[types.TracebackType] = []
    while trace is not None:
        if not is_own(trace.tb_frame.f_code.co_filename):
            kept.append(trace)
        trace = trace.tb_next
    copy = None
    for link in reversed(kept):
        copy = types.TracebackType(copy, link.tb_frame, link.tb_lasti, link.tb_lineno or 0)
    return copy


def chain(error: BaseException | None) -> list[BaseException]:
    """The exception, then what it came from, each once."""
    found: list[BaseException] = []
    while error is not None and not any(error is link for link in found):
        found.append(error)
        error = error.__cause__ or error.__context__
    return found
