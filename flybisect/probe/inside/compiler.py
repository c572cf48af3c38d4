"""Hooks on FlyDSL's compiler: stages, traced IR, code objects, and errors that the script catches.

`MlirCompiler.compile` is a classmethod in every release. Up to 0.4 it takes the traced module; from
0.5.0 it takes text that `MlirCompiler.prepare` made ready.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
from collections.abc import Callable
from typing import Any

from . import binaries
from .faults import Faults
from .pipeline import Splitter
from .recorder import Recorder


class Watch:
    """What is kept between the compiles of one trial."""

    def __init__(self, recorder: Recorder, faults: Faults) -> None:
        self.recorder = recorder
        self.faults = faults
        self.depth = 0
        self.prepared: tuple[str, Any] | None = None
        self.compiled: dict[str, Any] = {}

    def install(self, assembly: bool, stage: str | None) -> None:
        """Hook the FlyDSL that this process has imported. Raises AttributeError where it has no compiler.

        `assembly`: generate it as well. `stage`: after which IR is kept.
        """
        unit = importlib.import_module("flydsl.compiler.jit_function")
        splitter = Splitter(unit.PassManager, self.recorder, assembly, stage)
        unit.PassManager = splitter  # type: ignore[attr-defined]
        for name in ("__call__", "_compile_or_execute"):
            if name in vars(unit.JitFunction):
                setattr(unit.JitFunction, name, self._entered(vars(unit.JitFunction)[name]))
        compiler = unit.MlirCompiler
        if "prepare" in vars(compiler):
            compiler.prepare = classmethod(self._preparing(compiler.prepare.__func__))
        compiler.compile = classmethod(self._compiling(compiler.compile.__func__, unit))

    def _entered(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def entered(jit: Any, *arguments: Any, **named: Any) -> Any:
            if self.depth:
                return original(jit, *arguments, **named)
            self.recorder.stage("trace")
            self.depth += 1
            try:
                result = original(jit, *arguments, **named)
            except BaseException as error:
                self.faults.raised(error)
                raise
            finally:
                self.depth -= 1
            self.recorder.stage("done")
            return result

        return entered

    def _preparing(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def prepare(cls: Any, *arguments: Any, **named: Any) -> Any:
            asm, config = original(cls, *arguments, **named)
            self.prepared = (asm, config)
            return asm, config

        return prepare

    def _compiling(self, original: Callable[..., Any], unit: Any) -> Callable[..., Any]:
        @functools.wraps(original)
        def compile(cls: Any, subject: Any, **named: Any) -> Any:
            key = self._key(subject, named, unit)
            self.recorder.fact("traced", sha256=key)
            if key in self.compiled:
                # FlyDSL only prints the module that it gets; a benchmark loop asks for it every turn.
                return self.compiled[key]
            try:
                result = original(cls, subject, **named)
            except Exception as error:
                if not isinstance(subject, str):
                    self.faults.place_ir_lines(error, subject.operation.get_asm(enable_debug_info=True))
                self.faults.raised(error)
                raise
            for data in binaries.objects(result.operation):
                self.recorder.binary("object", data)
            self.compiled[key] = result
            self.recorder.stage("done")
            return result

        return compile

    def _key(self, subject: Any, named: dict[str, Any], unit: Any) -> str:
        """SHA-256 of the IR without locations, and of what else decides how it is compiled."""
        if isinstance(subject, str):
            text, beside = self._prepared_text(subject, named, unit)
        else:
            text = subject.operation.get_asm(enable_debug_info=False)
            hints = _call(unit.CompilationContext, "get_compile_hints")
            beside = [sorted((str(k), repr(v)) for k, v in (hints or {}).items()), named.get("link_libs")]
        environment = _call(unit, "_cache_invalidating_env_values")
        digest = hashlib.sha256(text.encode("utf-8", "surrogateescape"))
        digest.update(repr([beside, environment]).encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def _prepared_text(self, subject: str, named: dict[str, Any], unit: Any) -> tuple[str, list[Any]]:
        config = named.get("config")
        beside = [getattr(config, "fragments", None), getattr(config, "llvm_opts", None)]
        if self.prepared is not None and self.prepared[1] is config:
            return self.prepared[0], beside
        module = unit.ir.Module.parse(subject)
        return module.operation.get_asm(enable_debug_info=False), beside


def _call(holder: Any, name: str) -> Any:
    """What a function gives that not every release has; None where it is missing."""
    function = getattr(holder, name, None)
    return None if function is None else function()
