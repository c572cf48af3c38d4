"""Compiles whose end is known from an earlier trial of the same toolchain: answered without MLIR or LLVM.

What decides is all that is handed to the pass manager: the IR without locations, the pipeline, its options,
the environment and LLVM's options. What is told again is all that a trial is read by: the stages, what was
printed, and the module that came out, the error, or how the process died. A hang and a death for want of
memory are never known.

What is printed during a compile is found again by marks around it on stderr, which the runner takes out.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib
import os
import signal
import sys
import threading
import zlib
from collections.abc import Callable
from typing import Any, NoReturn

from . import passerrors, shelf
from .llvmoptions import LlvmOptions
from .recorder import Recorder

FOLDER = "\x1etrial\x1e"
"""Stands for the trial's folder in what is kept."""
BEGIN, END = "begin", "end"
TOLD = ("stage", "ir", "assembly", "note")
"""Kinds of facts that belong to a compile."""
FATAL = frozenset(
    {signal.SIGABRT, signal.SIGSEGV, signal.SIGILL, signal.SIGFPE, signal.SIGBUS, signal.SIGTRAP}
)


def mark(folder: str, word: str, number: int) -> bytes:
    """In a trial's stderr, before and behind what its compile of that number prints."""
    return f"\x1e{os.path.basename(folder)} {word} {number}\x1e".encode("utf-8", "surrogateescape")


class KnownCompiles:
    """Of one trial."""

    def __init__(self, recorder: Recorder, folder: str, entries: shelf.Shelf, memory: int) -> None:
        """To be made before the script runs. `memory`: the trial's limit, in MiB."""
        self._recorder = recorder
        self._folder = folder
        self._entries = entries
        self._memory = memory
        self._options = LlvmOptions()
        self._stderr = os.fstat(2).st_ino
        self._number = 0
        self._seen: set[str] = set()
        self._own: dict[str, dict[str, Any]] = {}
        self._of_thread = threading.local()

    @property
    def repeated(self) -> bool:
        """The thread's last compile was of what this trial had compiled before."""
        return getattr(self._of_thread, "repeated", False)

    def run(
        self, module: Any, beside: list[Any], wants: list[Any], compile: Callable[[], None], *, whole: bool
    ) -> None:
        """Have `module` compiled in place, or told again what came of it. Raises what compiling raises.

        `beside`: what decides beside the IR and the process's state. `wants`: what is to be found out by
        it. `whole`: nothing else decides.
        """
        traced = self._hash(module, beside)
        self._recorder.fact("traced", sha256=traced)
        self._of_thread.repeated = traced in self._seen
        self._seen.add(traced)
        if not whole:
            compile()
            return
        key = hashlib.sha256(repr([traced, wants, self._memory]).encode()).hexdigest()
        entry = self._own.get(key) or self._entries.get(key)
        if entry is not None and self._told_again(traced, entry, module):
            return
        self._number += 1
        before = module.clone(ip=False)
        self._recorder.fact("compile", number=self._number, sha256=key)
        self._mark(BEGIN)
        try:
            compile()
        except BaseException as error:
            self._mark(END)
            described = passerrors.described(error, before.operation)
            if described is not None:
                self._recorder.fact("compiled", number=self._number, end="raised", module="", error=described)
            raise
        self._mark(END)
        text = _pressed(module.get_asm(enable_debug_info=False))
        self._recorder.fact("compiled", number=self._number, end="ok", module=text, error=None)
        # A loop that compiles the same again and again; what was printed stands on stderr already.
        self._own[key] = {"end": "ok", "said": "", "facts": [], "module": text}

    def _hash(self, module: Any, beside: list[Any]) -> str:
        # With line tables in the code object, places decide too.
        located = os.environ.get("FLYDSL_DEBUG_ENABLE_DEBUG_INFO", "0") not in ("", "0")
        text = module.get_asm(enable_debug_info=located)
        environment = sorted((name, value.replace(self._folder, "")) for name, value in os.environ.items())
        digest = hashlib.sha256(text.encode("utf-8", "surrogateescape"))
        state = repr([beside, environment, self._options.set()])
        digest.update(state.encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def _told_again(self, traced: str, entry: dict[str, Any], module: Any) -> bool:
        """False where it cannot be."""
        error = None
        if entry["end"] == "raised":
            error = passerrors.remade(entry["error"], module)
            if error is None:
                return False
        elif entry["end"] not in ("ok", "died"):
            return False
        self._recorder.fact("replayed", sha256=traced)
        for fact in entry["facts"]:
            if fact["kind"] == "stage":
                self._recorder.stage(fact["stage"])
            else:
                self._recorder.fact(**fact)
        self._number += 1
        self._mark(BEGIN)
        self._say(entry["said"].replace(FOLDER, self._folder))
        if error is not None:
            self._mark(END)
            raise error
        if entry["end"] == "died":
            _die(entry["signal"], entry["code"])
        self._mark(END)
        _become(module, zlib.decompress(base64.b64decode(entry["module"])).decode("utf-8", "surrogateescape"))
        return True

    def _say(self, text: str) -> None:
        self._write(text.encode("utf-8", "surrogateescape"))

    def _mark(self, word: str) -> None:
        # Not where the script has put a file of its own there.
        with contextlib.suppress(OSError):
            if os.fstat(2).st_ino == self._stderr:
                self._write(mark(self._folder, word, self._number))

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(2, data) :]


def _pressed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode("utf-8", "surrogateescape"), 1)).decode("ascii")


def _die(number: int | None, code: int | None) -> NoReturn:
    """As native code does, of a signal or by `exit`; the present stack is written down at a fatal signal."""
    if number is not None:
        signal.raise_signal(number)
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(70 if code is None else code)


def _become(module: Any, text: str) -> None:
    """Put in place of what a module holds what its text had after the compile."""
    ir = importlib.import_module("flydsl._mlir.ir")
    with module.context:
        made = ir.Module.parse(text).operation
    body = module.regions[0].blocks[0]
    for operation in list(body.operations):
        operation.operation.erase()
    for name in _names(module):
        del module.attributes[name]
    for name in _names(made):
        module.attributes[name] = made.attributes[name]
    for operation in list(made.regions[0].blocks[0].operations):
        body.append(operation.operation)


def _names(operation: Any) -> list[str]:
    """Of its attributes; newer bindings go through names, older ones through pairs."""
    return [each if isinstance(each, str) else each.name for each in operation.attributes]
