"""What the script asked the machine for in vain: packages, data files, programs and GPU libraries.

A script may catch the error and go on, so what it asks for is noted at once.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import types
from collections.abc import Callable
from typing import Any

from . import tracebacks
from .recorder import Recorder

MOST = 20
"""Of one trial."""
DEEPEST = 40
"""Frames that are looked at between a request and the script."""

_GPU_LIBRARY = re.compile(r"(?:^|/)lib(?:amdhip|hsa-runtime|hiprtc|rocm_smi|amd_smi|cuda|nvidia)[\w-]*\.so")
_GPU_PROGRAM = re.compile(
    r"(?<![\w./-])(?:rocm_agent_enumerator|rocminfo|rocm-smi|amd-smi|nvidia-smi|hipcc)\b"
)


class Missing:
    """Notes what the script's own code asks for and this machine does not have."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._seen: set[str] = set()
        self._busy = False

    def install(self) -> None:
        """For this process, for good."""
        sys.meta_path.append(self)
        sys.addaudithook(self._audit)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """The last of the finders, so no other found it. Finds nothing either."""
        if name.partition(".")[0] not in ("flydsl", "mlir") and _importer_is_script():
            self._note(f"the {'module' if '.' in name else 'package'} {name} is not installed")

    def invalidate_caches(self) -> None:
        return None

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        check = _CHECKS.get(event)
        if check is None or self._busy or len(self._seen) >= MOST:
            return
        self._busy = True
        try:
            said = check(*arguments)
            if said is not None and _caller_is_script():
                self._note(said)
        except Exception:  # a script may pass anything, and an exception in a hook would stop its call
            return
        finally:
            self._busy = False

    def _note(self, text: str) -> None:
        if text not in self._seen and len(self._seen) < MOST:
            self._seen.add(text)
            self._recorder.fact("missing", text=text)


def _importer_is_script() -> bool:
    """True where the module that imports, past the import system, is the script's own."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and (_is_import_system(frame) or tracebacks.is_own(frame.f_code.co_filename)):
        frame = frame.f_back
    return frame is not None and _is_script(frame)


def _caller_is_script() -> bool:
    """True where the script's own code asked, by itself or through a library other than FlyDSL."""
    frame: types.FrameType | None = sys._getframe(1)
    for _ in range(DEEPEST):
        if frame is None or _is_import_system(frame) or _package(frame) == "flydsl":
            return False
        if _is_script(frame):
            return True
        frame = frame.f_back
    return False


def _is_script(frame: types.FrameType) -> bool:
    return tracebacks.is_script(frame.f_code.co_filename, str(frame.f_globals.get("__name__")))


def _is_import_system(frame: types.FrameType) -> bool:
    return _package(frame) == "importlib"


def _package(frame: types.FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def _opened(path: Any, mode: Any, flags: int, *_: Any) -> str | None:
    if isinstance(path, int) or flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        return None
    name = os.fsdecode(path)
    return None if os.path.lexists(name) else f"the file {name} does not exist"


def _started(executable: Any, arguments: Any, *_: Any) -> str | None:
    words = [arguments] if isinstance(arguments, (str, bytes)) else list(arguments)
    if len(words) > 2 and os.fsdecode(words[1]) == "-c":
        return _in_shell(words[2])
    name = os.fsdecode(executable)
    return None if shutil.which(name) is not None else _no_program(name)


def _in_shell(command: Any, *_: Any) -> str | None:
    found = (match.group(0) for match in _GPU_PROGRAM.finditer(os.fsdecode(command)))
    return next((_no_program(name) for name in found if shutil.which(name) is None), None)


def _no_program(name: str) -> str:
    return f"the program {name} is not installed"


def _loaded(name: Any, *_: Any) -> str | None:
    found = _GPU_LIBRARY.search(os.fsdecode(name)) if name else None
    return None if found is None else f"{os.path.basename(os.fsdecode(name))} needs a GPU's driver"


_CHECKS: dict[str, Callable[..., str | None]] = {
    "open": _opened,
    "subprocess.Popen": _started,
    "os.system": _in_shell,
    "ctypes.dlopen": _loaded,
}
"""By audit event; each is given the event's arguments, and says what is missing."""
