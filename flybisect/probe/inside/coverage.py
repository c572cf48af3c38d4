"""Which lines of the script ran, traced kernels included.

FlyDSL compiles rewritten functions under the script's own file name and line numbers, so a
tracer that goes by file name sees them as well.
"""

from __future__ import annotations

import sys
import threading
import types
from typing import Any

from .recorder import Recorder


class Coverage:
    """Records each line the first time it runs, at once: the script may be about to crash."""

    def __init__(self, recorder: Recorder, script: str) -> None:
        self._recorder = recorder
        self._script = script
        self._seen: set[int] = set()

    def start(self) -> None:
        if sys.version_info >= (3, 12):
            self._monitor()
        else:
            sys.settrace(self._trace)
            threading.settrace(self._trace)

    def stop(self) -> None:
        if sys.version_info >= (3, 12):
            monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
            monitoring.free_tool_id(monitoring.COVERAGE_ID)
        else:
            sys.settrace(None)
            threading.settrace(None)

    def _ran(self, line: int) -> None:
        if line > 0 and line not in self._seen:
            self._seen.add(line)
            self._recorder.fact("line", line=line)

    def _trace(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != self._script:
            return None
        return self._line

    def _line(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._ran(frame.f_lineno)
        return self._line

    def _monitor(self) -> None:
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        tool = monitoring.COVERAGE_ID
        monitoring.use_tool_id(tool, "flybisect")

        def on_line(code: types.CodeType, line: int) -> Any:
            if code.co_filename == self._script:
                self._ran(line)
            return monitoring.DISABLE

        monitoring.register_callback(tool, monitoring.events.LINE, on_line)
        monitoring.set_events(tool, monitoring.events.LINE)
