"""FlyDSL's pass pipeline, run in two parts so that the stage is known: up to LLVM dialect, then the binary.

The passes, their order and their options are untouched; FlyDSL's own IR dump runs the same
pipeline in still smaller parts. Where the IR after a pass is wanted, the first part is run in two.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from . import binaries, stages
from .known import KnownCompiles
from .recorder import Recorder

BINARY_PASS = "gpu-module-to-binary"
_FORMAT = re.compile(r"\bformat=\w+")
_LINKED = re.compile(r"\bl=")


def split(pipeline: str) -> tuple[str | None, str | None]:
    """A textual pipeline as (passes before the binary, the binary's fragment and what follows).

    Either is None where the pipeline has none; a pipeline of another form is all "before".
    """
    head, tail = "builtin.module(", ")"
    at = pipeline.find(BINARY_PASS)
    if at < 0 or not (pipeline.startswith(head) and pipeline.endswith(tail)):
        return pipeline, None
    before = pipeline[len(head) : at].rstrip(", ")
    if before.count("(") != before.count(")") or before.count("{") != before.count("}"):
        return pipeline, None
    binary = head + pipeline[at:]
    return (head + before + tail if before else None), binary


def as_assembly(binary: str) -> str:
    """The binary's own fragment, its options kept, with assembly as its output format."""
    if _FORMAT.search(binary):
        return _FORMAT.sub("format=isa", binary, count=1)
    return binary.replace(BINARY_PASS, BINARY_PASS + "{format=isa}", 1)


class Splitter:
    """Stands in for the `PassManager` that `flydsl.compiler.jit_function` parses its pipeline with."""

    def __init__(
        self, real: Any, recorder: Recorder, known: KnownCompiles, assembly: bool, stage: str | None = None
    ) -> None:
        self._real = real
        self._recorder = recorder
        self._known = known
        self._assembly = assembly
        self._stage = stage

    def parse(self, pipeline: str, *arguments: Any, **named: Any) -> Any:
        before, binary = split(pipeline)
        parts = []
        keep = None
        if before is not None:
            texts = [before]
            if self._stage is not None:
                fragments = stages.fragments(before)
                keep = stages.find(self._stage, fragments)
                if keep is None:
                    self._recorder.fact("stages", names=stages.names(fragments))
                texts = stages.parted(fragments, keep)
            parts += [("passes", self._real.parse(text, *arguments, **named)) for text in texts]
        isa = None
        if binary is not None:
            parts.append(("codegen", self._real.parse(binary, *arguments, **named)))
            if self._assembly:
                isa = self._real.parse(as_assembly(binary), *arguments, **named)
        # Without the binary it is a part only, whose outcome somebody goes on with; and of files that are
        # linked in no text says what they hold.
        whole = binary is not None and not _LINKED.search(pipeline)
        wants = [self._assembly, self._stage]

        def through(module: Any, beside: list[Any], compile: Callable[[], None]) -> None:
            self._known.run(module, beside, wants, compile, whole=whole)

        return _Parts(parts, isa, self._recorder, keep, through, [pipeline])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._real(*arguments, **named)


class _Parts:
    """Pass managers that are run one after the other, and answer like one."""

    def __init__(
        self,
        parts: list[tuple[str, Any]],
        isa: Any,
        recorder: Recorder,
        keep: int | None,
        through: Callable[[Any, list[Any], Callable[[], None]], None],
        decides: list[Any],
    ) -> None:
        """`keep`: the number of passes after which the IR is kept; 0 before the first, None: nowhere.
        `through`: is given the module, what else decides, and how to run the passes over it.
        `decides`: as far as it is known before the settings that `__getattr__` sees."""
        self._parts = parts
        self._isa = isa
        self._recorder = recorder
        self._keep = keep
        self._through = through
        self._decides = decides

    def run(self, operation: Any) -> None:
        root = getattr(operation, "operation", operation)
        self._through(root, self._decides, lambda: self._run(operation))

    def _run(self, operation: Any) -> None:
        kept = self._keep is None
        if self._keep == 0:
            self._keep_ir(operation)
            kept = True
        for stage, manager in self._parts:
            self._recorder.stage(stage)
            copy = operation.clone() if stage == "codegen" and self._isa is not None else None
            manager.run(operation)
            if not kept:
                self._keep_ir(operation)
                kept = True
            if copy is not None:
                self._assemble(copy)

    def _keep_ir(self, operation: Any) -> None:
        """The first part ends where the IR is wanted."""
        root = getattr(operation, "operation", operation)
        text = root.get_asm(enable_debug_info=False)
        self._recorder.binary("ir", text.encode("utf-8", "surrogateescape")[: stages.LONGEST])

    def _assemble(self, copy: Any) -> None:
        try:
            self._isa.run(copy)
            for text in binaries.objects(copy.operation):
                self._recorder.binary("assembly", text)
        except Exception as error:  # a second code generation for our own ends must not fail the trial
            self._recorder.fact("note", text=f"no assembly: {type(error).__name__}: {error}")

    def __getattr__(self, name: str) -> Any:
        """A method that sets something: set it on every part."""

        def on_all(*arguments: Any, **named: Any) -> None:
            self._decides.append((name, arguments, named))
            for _, manager in self._parts:
                getattr(manager, name)(*arguments, **named)
            if self._isa is not None and name == "enable_verifier":
                self._isa.enable_verifier(*arguments, **named)

        return on_all
