"""Environment variables that the script reads and that are not there, so that a person can hand them on."""

from __future__ import annotations

import os
import sys
import sysconfig
from types import FrameType

from .recorder import Recorder

MOST = 100
"""Names of one trial."""
_HERE = os.path.dirname(os.path.abspath(__file__)) + "/"
_THROUGH = (_HERE, os.__file__, "<frozen os>", "<frozen _collections_abc>", "<frozen abc>")
"""Files that a read of `os.environ` goes through."""


class Unset:
    """Notes each name once."""

    def __init__(self, recorder: Recorder, folder: str, beside: str | None) -> None:
        """`folder`: the trial's; `beside`: where the script lies."""
        self._recorder = recorder
        self._own = tuple(f"{each}/" for each in (folder, beside) if each)
        self._others = tuple(
            f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib", "purelib", "platlib")
        )
        self._seen: set[str] = set()

    def note(self, name: str) -> None:
        """`name` was read and is not there."""
        if name in self._seen or len(self._seen) >= MOST or not self._by_script(sys._getframe(1)):
            return
        self._seen.add(name)
        self._recorder.fact("unset", name=name)

    def _by_script(self, frame: FrameType | None) -> bool:
        """Whether the read is the script's own, or that of a module of the user's, and no library's."""
        while frame is not None and _passes_on(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is None:
            return False
        file = frame.f_code.co_filename
        if file.startswith(self._own):
            return True
        return (
            "-packages/" not in file and "/flydsl/" not in file and not file.startswith(("<", *self._others))
        )


def _passes_on(file: str) -> bool:
    return file.startswith(_THROUGH) or file.endswith("/_collections_abc.py")
