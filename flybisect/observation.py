"""Probe, Observation, Signature, Verdict: frozen data that every room may import.

Nothing here does I/O. An `Observation` turns into JSON and back, so tests replay recorded ones.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

LARGEST = 1 << 63
"""Of a number in an observation."""
OBSERVATION_FORMAT = 2
"""Version of the JSON form; a journal of another version is not read."""


class Outcome(str, Enum):
    """How the process of a probe ended."""

    OK = "ok"
    EXCEPTION = "exception"
    """An uncaught Python exception."""
    EXIT = "exit"
    """A non-zero exit code without a Python exception (`sys.exit`, or native code calling `exit`)."""
    SIGNAL = "signal"
    TIMEOUT = "timeout"
    MEMORY = "out of memory"
    BROKEN = "broken"
    """The toolchain itself could not be used (no import, no worker); says nothing about the script."""


class Stage(str, Enum):
    """How far a probe came, in order."""

    START = "start"
    """The script ran, FlyDSL was not asked for anything yet."""
    TRACE = "trace"
    """Python of a kernel or launcher is being traced to IR."""
    PASSES = "passes"
    """MLIR passes, up to LLVM dialect."""
    CODEGEN = "codegen"
    """LLVM code generation and linking."""
    DONE = "done"
    """At least one kernel was compiled and no compile is under way."""


class Want(str, Enum):
    """What a probe yields only where it is asked for, since it costs time."""

    ASSEMBLY = "assembly"
    """Instruction counts and base registers; a second code generation."""
    COVERAGE = "coverage"
    """The script's lines that ran, traced kernels included."""
    IR = "ir"
    """The IR after `Probe.stage`."""
    OUTPUT = "output"
    """What the script printed to stdout."""


@dataclass(frozen=True)
class Probe:
    """A request: compile this script with this argv for this arch (the toolchain is given beside it)."""

    source: str
    """The script's text."""
    name: str
    """File name the script is run under (base name, ends in `.py`)."""
    arch: str
    """Target, as `gfx942`."""
    argv: tuple[str, ...] = ()
    """Arguments after the script's name."""
    folder: Path | None = None
    """Where the original script lies: `sys.path[0]` of the run, so that modules beside it import."""
    wants: frozenset[Want] = frozenset()
    timeout: float = 120.0
    """Wall seconds."""
    memory: int = 8192
    """MiB of address space that the trial may add to what the warm worker has."""
    stage: str | None = None
    """Where the IR is taken, with `Want.IR`; see `flybisect.probe.ir_stages`."""
    command: str | None = None
    """A shell command that is run on the script in place of the script itself; its end is the outcome."""
    anew: bool = False
    """Nothing that other trials compiled answers it."""
    env: tuple[tuple[str, str], ...] = ()
    """Variables that the script's environment has beside the tool's own, sorted."""

    def key(self) -> str:
        """What two probes share that must show the same (limits, and `anew`, are left out on purpose), as far
        as it is known before one was run: what the script reads beside itself is in the observation."""
        parts = [
            "reads:",
            self.source,
            self.name,
            self.arch,
            *self.argv,
            "folder:" + str(self.folder or ""),
            *sorted(w.value for w in self.wants),
        ]
        parts += [f"env:{name}={value}" for name, value in self.env]
        if self.stage is not None and Want.IR in self.wants:
            parts.append("stage:" + self.stage)
        if self.command is not None:
            parts.append("command:" + self.command)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler, wherever it was said."""

    severity: str
    """`error`, `warning`, `note` or `remark`."""
    text: str
    source: str
    """`mlir` (a diagnostic attached to a compile error), `stderr` (printed by native code)."""
    line: int | None = None
    """1-based line of the script, where the compiler names one."""


@dataclass(frozen=True)
class ExceptionFacts:
    """An exception that ended the script, or that a compile raised and the script caught."""

    type: str
    """Class name without module, as `DSLCompileError`."""
    message: str
    line: int | None = None
    """1-based line of the innermost frame inside the script."""
    caught: bool = False
    """True when the script itself caught it and went on."""
    module: str = ""
    """Module of the class, as `flydsl.compiler.diagnostics`."""
    innermost: str = ""
    """Package of the innermost frame: `script`, `flydsl`, or another top-level module name."""
    during: str = ""
    """What was going on: `kernel` (one was traced), `launcher` (the function around it was), or `host`
    (neither)."""


@dataclass(frozen=True)
class Kernel:
    """What the code object's metadata says of one kernel: of the code that would run, hints included."""

    name: str
    vgprs: int = 0
    """Vector registers per lane; on gfx90a and newer with MFMA this includes the AGPRs."""
    agprs: int = 0
    sgprs: int = 0
    vgpr_spills: int = 0
    sgpr_spills: int = 0
    scratch_bytes: int = 0
    """Private segment, bytes per lane."""
    lds_bytes: int = 0
    """Group segment, bytes per workgroup."""
    wavefront: int = 64
    workgroup: int = 0
    """Largest flat workgroup size, lanes."""
    occupancy: int = 0
    """Wavefronts per SIMD that registers and LDS leave room for."""
    instructions: Mapping[str, int] = field(default_factory=dict)
    """Mnemonic → how often it stands in the assembly. Empty unless `Want.ASSEMBLY`."""
    bases: Mapping[str, int] = field(default_factory=dict)
    """Memory mnemonic → distinct base address registers. Empty unless `Want.ASSEMBLY`."""


METRICS = (
    "vgprs",
    "agprs",
    "sgprs",
    "vgpr_spills",
    "sgpr_spills",
    "scratch_bytes",
    "lds_bytes",
    "occupancy",
)


@dataclass(frozen=True)
class Observation:
    """What a probe showed."""

    outcome: Outcome
    stage: Stage
    arch: str
    flydsl: str
    """Version string of the FlyDSL that ran."""
    exit_code: int | None = None
    signal: int | None = None
    exceptions: tuple[ExceptionFacts, ...] = ()
    """The one that ended the script last; those that a compile raised and the script caught before it.
    Where the script raised another over what a compile raised, it is the compile's."""
    diagnostics: tuple[Diagnostic, ...] = ()
    stderr: str = ""
    """The last part of what was printed there, at most 64 KiB."""
    stdout: str = ""
    """The same of stdout. Empty unless `Want.OUTPUT`."""
    ir: tuple[str, ...] = ()
    """IR of each compiled module after the probe's stage, without locations. Empty unless `Want.IR`."""
    stages: tuple[str, ...] = ()
    """Those that there are, in order, where the one asked for is not among them."""
    kernels: tuple[Kernel, ...] = ()
    traced: tuple[str, ...] = ()
    """SHA-256 of each module handed to MLIR's passes, locations left out, and of what else decides."""
    replayed: tuple[str, ...] = ()
    """Of those, the ones that were not compiled, since it was known what comes of it."""
    lines: tuple[int, ...] = ()
    """Lines of the script that ran, sorted. Empty unless `Want.COVERAGE`."""
    unset: tuple[str, ...] = ()
    """Environment variables that the script read and that were not there, sorted."""
    python_files: tuple[str, ...] = ()
    """Python files beside the script that it ran or read, by their paths from its folder, sorted."""
    seconds: float = 0.0
    """Wall time of the trial."""
    cpu_seconds: float = 0.0
    under_way: float | None = None
    """Wall seconds that the last trace or compile had taken when the trial ended; None where not known."""
    peak_mib: int = 0
    crash_line: int | None = None
    """1-based line of the script that was being run when a signal or the timeout ended it, where known."""
    crashed_in_script: bool = False
    """A signal ended it in the script's own code, or in a library other than FlyDSL that this called."""
    missing: tuple[str, ...] = ()
    """What the script asked the machine for in vain, a sentence each, as `the package x is not installed`."""
    note: str = ""
    """What the tool itself has to say, as why a toolchain is broken."""
    files: tuple[tuple[str, str], ...] = ()
    """What the script read beside itself, each with its SHA-256; see `flybisect.probe.files_read`."""

    @property
    def reached_flydsl(self) -> bool:
        """True when a kernel or launcher was at least traced."""
        return self.stage is not Stage.START

    @property
    def compiled(self) -> tuple[str, ...]:
        """Of `traced`, what went through MLIR's passes."""
        kept = list(self.traced)
        for key in self.replayed:
            if key in kept:
                kept.remove(key)
        return tuple(kept)

    @property
    def only_replayed(self) -> bool:
        """True when something was traced to its end, and of all that it was known what comes of it."""
        return bool(self.traced) and not self.compiled

    @property
    def exception(self) -> ExceptionFacts | None:
        """The exception that ended the script, or None."""
        if self.outcome is Outcome.EXCEPTION and self.exceptions:
            return self.exceptions[-1]
        return None

    def metrics(self) -> dict[str, int]:
        """The worst kernel's figure for each metric (occupancy: the lowest); empty without a kernel."""
        if not self.kernels:
            return {}
        found = {name: max(getattr(k, name) for k in self.kernels) for name in METRICS}
        found["occupancy"] = min(k.occupancy for k in self.kernels)
        return found

    def to_json(self) -> str:
        data = asdict(self)
        data["format"] = OBSERVATION_FORMAT
        return json.dumps(data, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Observation:
        """Raises ValueError when the text is not an Observation of this format."""
        try:
            data: dict[str, Any] = json.loads(text)
            if data.pop("format") != OBSERVATION_FORMAT:
                raise ValueError("observation of another format")
            found: Observation = _read(data, cls)
            return found
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"not an observation: {error}") from error


def _read(value: Any, kind: Any) -> Any:
    """JSON as a value of a type: of the classes above, and of what their fields are made of. Raises
    ValueError or TypeError where it is something else."""
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: _read(each, hints[name]) for name, each in value.items()})
    made_of, parts = get_origin(kind), get_args(kind)
    if made_of is tuple and isinstance(value, list):
        return tuple(_read(each, parts[0]) for each in value)
    if made_of is Mapping and isinstance(value, dict):
        return {_read(name, parts[0]): _read(each, parts[1]) for name, each in value.items()}
    if NoneType in parts:
        return None if value is None else _read(value, parts[0])
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    fits = type(value) is kind or (kind is float and type(value) is int)
    if not fits or (kind in (int, float) and not abs(value) < LARGEST):
        raise ValueError("a value of another type")
    return value


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


@dataclass(frozen=True)
class Signature:
    """What identifies a bug, without what differs between runs and releases."""

    kind: str
    """`spills`, `legalization`, `assertion`, …"""
    text: str = ""
    """What identifies it."""
    detail: str = field(default="", compare=False)
    """How it was worded where it was seen; two wordings of one bug are equal."""

    def __str__(self) -> str:
        shown = self.detail or self.text
        return f"{self.kind}: {shown}" if shown else self.kind


class Answer(str, Enum):
    INTERESTING = "interesting"
    UNINTERESTING = "uninteresting"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True)
class Verdict:
    """An oracle's judgement over the observations of one candidate."""

    answer: Answer
    signature: Signature | None = None
    """Of the failure that was seen, also where it is not the one wanted; None where nothing failed."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    why: str = ""
    """One sentence for a reader."""

    @property
    def interesting(self) -> bool:
        return self.answer is Answer.INTERESTING
