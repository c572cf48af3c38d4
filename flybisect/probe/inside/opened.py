"""Which files a trial reads that belong to neither the toolchain nor the system: they are part of what is
studied, as modules and data beside the script are.

Python says of each file that it opens, imports and the libraries in Python included. Native code that opens
files by itself says nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from importlib.util import source_from_cache
from typing import Any

from .recorder import Recorder

SYSTEM = ("/proc", "/sys", "/dev", "/etc", "/usr", "/lib", "/lib64", "/bin", "/sbin")
MOST = 2000
"""Files of one trial."""
_TOOLCHAIN = ("torch", "numpy", "flydsl")


class Opened:
    """Writes down the path of each once, as it is outside of the trial's folder."""

    def __init__(
        self, recorder: Recorder, folder: str, beside: str | None, script: str, ours: Collection[str]
    ) -> None:
        """`beside`: the folder whose entries were brought into `folder`. `ours`: names in `folder` that
        were not."""
        self._recorder = recorder
        self._folder = folder
        self._beside = beside
        self._apart = _below((*SYSTEM, *_prefixes()))
        self._known = {script}
        self._ours = _below(f"{folder}/{name}" for name in ours if name)

    def install(self) -> None:
        """For good."""
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & os.O_ACCMODE == os.O_WRONLY:
                return
        elif event == "import":
            path = arguments[1]  # None, but for a module in native code
        elif event == "ctypes.dlopen":
            path = arguments[0]
        else:
            return
        if isinstance(path, (str, bytes)) and path and len(self._known) < MOST:
            self._note(os.fsdecode(path))

    def _note(self, path: str) -> None:
        try:
            path = os.path.abspath(path)
        except (OSError, ValueError):
            return
        if path in self._known or path.startswith(self._apart):
            return
        self._known.add(path)
        outside = self._outside(_source(path))
        if outside is not None:
            self._recorder.fact("read", path=outside)

    def _outside(self, path: str) -> str | None:
        """None for what the trial made itself."""
        if not path.startswith(self._folder + "/"):
            return path
        if self._beside is None or path.startswith(self._ours):
            return None
        origin = self._beside + path[len(self._folder) :]
        return origin if os.path.lexists(origin) or not os.path.lexists(path) else None


def _source(path: str) -> str:
    """Of a module's bytecode, the module: another one has other bytecode."""
    try:
        return source_from_cache(path) if path.endswith(".pyc") else path
    except (ValueError, NotImplementedError):
        return path


def _prefixes() -> list[str]:
    """Of the interpreter, of the toolchain's packages, and of the tool itself."""
    found = [os.path.dirname(__file__), sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
    files = [getattr(sys.modules.get(name), "__file__", None) for name in _TOOLCHAIN]
    found += [os.path.dirname(file) for file in files if file]
    rocm = os.environ.get("ROCM_PATH")
    return found + ([rocm] if rocm else [])


def _below(folders: Any) -> tuple[str, ...]:
    return tuple(os.path.abspath(folder).rstrip("/") + "/" for folder in folders)
