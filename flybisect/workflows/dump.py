"""The IR around the stage at which a script fails, FlyDSL's pipeline there, and the assembly."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from flybisect.case.limits import FIRST
from flybisect.judge.trials import Prober, probe_of
from flybisect.observation import Observation, Want
from flybisect.probe.inside import stages
from flybisect.probe.inside.pipeline import split
from flybisect.probe.ir_stages import ASSEMBLY
from flybisect.source.flatten.write import with_head
from flybisect.workflows.prepare import PreparedCase

_MARK = "flybisect-pipeline: "
_PRINTING = f"""
import flydsl.compiler.jit_function as _flybisect_unit


class _FlybisectManager:
    def __init__(self, real):
        self.real = real

    def parse(self, pipeline, *arguments, **named):
        print({_MARK!r} + pipeline, flush=True)
        return self.real.parse(pipeline, *arguments, **named)

    def __getattr__(self, name):
        return getattr(self.real, name)


_flybisect_unit.PassManager = _FlybisectManager(_flybisect_unit.PassManager)
"""
"""Says the pipeline that FlyDSL parses, whatever release it is."""
_Ir = Callable[[int], tuple[str, ...]]
"""The modules behind so many passes; none where it does not get there."""
_LIMITS = 2.0
"""Times the usual time of a trial: IR is printed."""


@dataclass(frozen=True)
class Dump:
    """Of one script under one FlyDSL."""

    passes: tuple[str, ...]
    """Fragments of the pipeline before code generation, with their options."""
    stages: tuple[str, ...]
    """The IR's names: `00_origin`, `01_…`; one more than passes."""
    at: int
    """Index of the last stage that there is IR of."""
    ir: tuple[str, ...]
    """The modules there; more than one where the script compiles more than one."""
    origin: tuple[str, ...]
    """The modules before the first pass."""
    assembly: tuple[str, ...]
    """Empty where no code was generated."""

    def to_dict(self) -> dict[str, Any]:
        """For the session's folder."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Any) -> Dump | None:
        """None where it was written by another version, or there is none."""
        try:
            return cls(**{name: _frozen(value) for name, value in data.items()})
        except (AttributeError, TypeError):
            return None

    @property
    def stage(self) -> str:
        return self.stages[self.at]

    @property
    def failing_pass(self) -> str | None:
        """The fragment that does not get through; None where all do, or it was never begun."""
        return self.passes[self.at] if self.at < len(self.passes) else None


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def dump(prepared: PreparedCase, text: str, prober: Prober) -> Dump | None:
    """None where nothing reaches the pipeline."""

    def run(source: str, wants: set[Want], stage: str | None = None) -> Observation:
        probe = probe_of(prepared.case, source, prepared.subject, wants, timeout=_LIMITS * FIRST, stage=stage)
        return prober.run(probe, prepared.subject.toolchain)

    pipeline = _pipeline(run(with_head(text, _PRINTING), {Want.OUTPUT}))
    if pipeline is None:
        return None
    passes = stages.fragments(pipeline)
    names = stages.names(passes)

    def ir(at: int) -> tuple[str, ...]:
        return run(text, {Want.IR}, names[at]).ir

    origin = ir(0)
    if not origin:
        return None
    at, found = _last(ir, len(passes), origin)
    assembly = run(text, {Want.IR, Want.ASSEMBLY}, ASSEMBLY).ir if at == len(passes) else ()
    return Dump(tuple(passes), tuple(names), at, found, origin, assembly)


def _pipeline(seen: Observation) -> str | None:
    """The passes before the binary, of the last module that was compiled: the one that fails."""
    found = re.findall(rf"^{_MARK}(.*)$", seen.stdout, re.MULTILINE)
    whole = [split(text)[0] for text in found if "gpu-module-to-binary" in text] or [
        split(text)[0] for text in found
    ]
    return whole[-1] if whole else None


def _last(ir: _Ir, count: int, origin: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    """By halving: IR behind a pass is there where that pass and those before it got through."""
    low, high = 0, count
    best = origin
    while low < high:
        middle = (low + high + 1) // 2
        found = ir(middle)
        if len(found) >= len(origin):
            low, best = middle, found
        else:
            high = middle - 1
    return low, best
