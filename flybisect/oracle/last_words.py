"""The message of a C++ exception that ended a process. Pure."""

from __future__ import annotations

import re

LONGEST = 16 * 1024
"""Most characters after the exception's name that are searched."""

_WHAT = "what():"
_PYTHON_ERROR = re.compile(r"[A-Za-z_][\w.]{0,200}(?:Error|Exception|Warning|Interrupt|Iteration)(?::|$)")


def message_after(text: str) -> str:
    """The last line of a Python traceback, else the text of `what()`; empty if nothing follows.

    `nanobind::python_error` carries a Python exception, and its `what()` is that exception's traceback.
    """
    lines = [line.strip().removeprefix(_WHAT).strip() for line in text[:LONGEST].splitlines()]
    raised = [line for line in lines if _PYTHON_ERROR.match(line)]
    if raised:
        return raised[-1]
    _, found, said = text[:LONGEST].partition(_WHAT)
    return said.split("\n", 1)[0].strip() if found else ""
