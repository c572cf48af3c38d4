"""Hooks on FlyDSL's compiler: stages, traced IR, code objects, and errors that the script catches.

`MlirCompiler.compile` is a classmethod in every release. Up to 0.4 it takes the traced module; from
0.5.0 it takes text that `MlirCompiler.prepare` made ready.
"""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from collections.abc import Callable
from typing import Any

from . import binaries, expected
from .faults import Faults
from .known import KnownCompiles
from .pipeline import Splitter
from .recorder import Recorder


class CompilerHooks:
    """What is kept between the compiles of one trial."""

    def __init__(self, recorder: Recorder, faults: Faults, known: KnownCompiles) -> None:
        self.recorder = recorder
        self.faults = faults
        self.known = known
        self._of_thread = threading.local()

    def install(self, assembly: bool, stage: str | None) -> None:
        """Hook the FlyDSL that this process has imported. Raises AttributeError where it has no compiler.

        `assembly`: generate it as well. `stage`: after which IR is kept.
        """
        unit = importlib.import_module("flydsl.compiler.jit_function")
        splitter = Splitter(unit.PassManager, self.recorder, self.known, assembly, stage)
        unit.PassManager = splitter  # type: ignore[attr-defined]
        for name in ("__call__", "_compile_or_execute"):
            if name in vars(unit.JitFunction):
                setattr(unit.JitFunction, name, self._entered(vars(unit.JitFunction)[name]))
        compiler = unit.MlirCompiler
        compiler.compile = classmethod(self._compiling(compiler.compile.__func__))

    def _entered(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def entered(jit: Any, *arguments: Any, **named: Any) -> Any:
            if getattr(self._of_thread, "entered", False):
                return original(jit, *arguments, **named)
            self.recorder.stage("trace")
            self._of_thread.entered = True
            try:
                result = original(jit, *arguments, **named)
            except BaseException as error:
                if isinstance(error, Exception) and not expected.is_expected(sys._getframe(1)):
                    self.faults.raised(error)
                self.recorder.left()
                raise
            finally:
                self._of_thread.entered = False
            self.recorder.stage("done")
            return result

        return entered

    def _compiling(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def compile(cls: Any, subject: Any, **named: Any) -> Any:
            try:
                result = original(cls, subject, **named)
            except Exception as error:
                if not isinstance(subject, str):
                    self.faults.place_ir_lines(error, subject.operation.get_asm(enable_debug_info=True))
                if not expected.is_expected(sys._getframe(1)):
                    self.faults.raised(error)
                raise
            # A benchmark loop asks for the same every turn.
            for data in binaries.objects(result.operation) if not self.known.repeated else ():
                self.recorder.binary("object", data)
            self.recorder.stage("done")
            return result

        return compile
