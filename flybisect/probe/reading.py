"""From what a worker sent back to an Observation. Pure."""

from __future__ import annotations

import base64
import os
import re
import signal
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flybisect.observation import (
    Diagnostic,
    ExceptionFacts,
    Kernel,
    Observation,
    Outcome,
    Probe,
    Stage,
    Want,
)
from flybisect.probe import assembly, codeobject, diagnostics, facts, remembering
from flybisect.probe.facts import Fact
from flybisect.probe.inside.limits import PROCESSES
from flybisect.probe.inside.pump import RECORD
from flybisect.probe.ir_stages import ASSEMBLY

STDERR_LIMIT = 64 * 1024
TEXT_LIMIT = 8 * 1024
NO_BITCODE = (
    "the kernel calls AMD's device library (__ocml_ or __ockl_), whose bitcode is not on this machine; "
    "install ROCm, or its device libraries (Debian: rocm-device-libs)"
)
"""Said of a compile that ends for want of it."""
"""Characters of one diagnostic: a note can hold a whole module."""

_NO_MEMORY = re.compile(
    r"std::bad_alloc|LLVM ERROR: out of memory|DefaultCPUAllocator: (?:can't allocate|not enough) memory"
    r"|Cannot allocate memory|Buffer allocation failed"
)
_ENDED_FROM_OUTSIDE = (Outcome.TIMEOUT, Outcome.MEMORY, Outcome.SIGNAL)
_CRASH_FRAME = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d{1,9}) in ', re.MULTILINE)
_FLYDSL_FILE = re.compile(r"/flydsl/|<frozen importlib")
"""A file of FlyDSL, or one that is being imported."""
_READ_ONLY = "[Errno 30]"
"""EROFS, as Python words it."""


def observation(probe: Probe, version: str, folder: str, reply: Fact) -> Observation:
    """`folder`: the trial's own; its path is cut out of every text, so that it says nothing of a machine."""
    return _Reading(probe, version, folder, reply).observation()


def with_compiles(
    probe: Probe, version: str, folder: str, reply: Fact
) -> tuple[Observation, list[tuple[str, dict[str, Any]]], list[str]]:
    """The same; what the trial's compiles ended in, by their keys (see `remembering.entries`); and the paths
    of the files that it read."""
    reading = _Reading(probe, version, folder, reply)
    seen = reading.observation()
    # What was left out may be what a compile said.
    printed = b"" if reply["dropped"] else b"".join(_ends(reply))
    read = [fact["path"] for fact in reading.facts if fact["kind"] == "read"]
    return seen, list(remembering.entries(probe, folder, reading.facts, printed, seen)), read


class _Reading:
    def __init__(self, probe: Probe, version: str, folder: str, reply: Fact) -> None:
        self.probe = probe
        self.version = version
        self.folder = folder
        self.reply = reply
        self.facts: Sequence[Fact]
        self.facts, self.damaged = facts.checked(reply["facts"])
        self.script = f"{folder}/{probe.name}"
        head, tail = _ends(reply)
        if not reply["dropped"]:
            head, tail = head + tail, b""
        self.head, self.tail = (
            remembering.without_marks(folder, data).decode("utf-8", "replace") for data in (head, tail)
        )
        self.uncaught = next((f for f in self.facts if f["kind"] == "uncaught"), None)
        status = int(reply["status"])
        self.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        self.exit_code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None

    def observation(self) -> Observation:
        outcome, said = self._outcome()
        notes = [said]
        notes += [f["text"] for f in self.facts if f["kind"] == "note"]
        if self.damaged:
            notes.append(f"the script wrote into its trial's record: {self.damaged} facts make no sense")
        if self._was_refused():
            notes.append(
                "the script wrote outside its trial's folder or opened a connection, which is refused"
            )
        if "amdgcn bitcode path" in self._printed():
            notes.append(NO_BITCODE)
        try:
            kernels = self._kernels()
        except ValueError as error:
            kernels = ()
            notes.append(f"metrics could not be read: {error}")
        return Observation(
            outcome=outcome,
            stage=self._stage(outcome),
            arch=self.probe.arch,
            flydsl=self.version,
            exit_code=self.exit_code,
            signal=self.signal,
            exceptions=self._exceptions(),
            diagnostics=self._diagnostics(self._stage(outcome)),
            stderr=self._shorten(self._printed())[-self._stderr_limit :],
            stdout=self._shorten(base64.b64decode(self.reply["stdout"]).decode("utf-8", "replace")),
            ir=self._ir(),
            stages=next((tuple(f["names"]) for f in self.facts if f["kind"] == "stages"), ()),
            kernels=kernels,
            traced=tuple(f["sha256"] for f in self.facts if f["kind"] == "traced"),
            replayed=tuple(f["sha256"] for f in self.facts if f["kind"] == "replayed"),
            unset=tuple(sorted({f["name"] for f in self.facts if f["kind"] == "unset"})),
            lines=tuple(sorted(f["line"] for f in self.facts if f["kind"] == "line")),
            seconds=float(self.reply["seconds"]),
            cpu_seconds=float(self.reply["cpu"]),
            under_way=self._under_way(),
            peak_mib=int(self.reply["peak_kib"]) // 1024,
            crash_line=self._crash_line(),
            crashed_in_script=self._crashed_in_script(),
            missing=tuple(self._shorten(f["text"]) for f in self.facts if f["kind"] == "missing"),
            note="; ".join(filter(None, notes)),
        )

    def _printed(self) -> str:
        if self.reply["dropped"]:
            return f"{self.head}\n[{self.reply['dropped']} bytes left out]\n{self.tail}"
        return self.head + self.tail

    def _printed_by_compiler(self) -> str:
        """As far as it can be told from what the script printed."""
        begun = {fact["number"] for fact in self.facts if fact["kind"] == "compile"}
        over = {fact["number"] for fact in self.facts if fact["kind"] == "compiled"}
        if self.signal is not None or (self.reply["dropped"] and not begun <= over):
            return self._printed()
        if not any(fact["kind"] == "traced" for fact in self.facts):
            return ""
        pieces = _ends(self.reply) if self.reply["dropped"] else (b"".join(_ends(self.reply)),)
        said = remembering.of_compiles(self.folder, *pieces)
        return self._printed() if said is None else said.decode("utf-8", "replace")

    def _shorten(self, text: str) -> str:
        return text.replace(f"{self.folder}/", "")

    def _stage(self, outcome: Outcome) -> Stage:
        """How far it came. Where it was ended from outside: what was going on then."""
        steps = [f.get("stage") for f in self.facts if f["kind"] in ("stage", "left")]
        in_compile = self.uncaught is not None and self.uncaught["ends"]
        if outcome in _ENDED_FROM_OUTSIDE and not in_compile and steps and steps[-1] is None:
            return Stage.DONE if any(f["kind"] == "object" for f in self.facts) else Stage.START
        stages = [step for step in steps if step is not None]
        return Stage(stages[-1]) if stages else Stage.START

    def _under_way(self) -> float | None:
        """Since the last trace began."""
        stages = [f for f in self.facts if f["kind"] == "stage" and facts.is_time(f.get("at"))]
        begun = [float(f["at"]) for f in stages if f["stage"] in ("start", "trace")]
        return None if not begun else float(self.reply["seconds"]) - (begun[-1] - begun[0])

    def _outcome(self) -> tuple[Outcome, str]:
        """How it ended, and what the tool has to say about it."""
        broken = next((f["text"] for f in self.facts if f["kind"] == "broken"), None)
        if broken is not None:
            return Outcome.BROKEN, f"the trial could not be set up: {broken}"
        if self._linker_missing():
            return Outcome.BROKEN, "no ld.lld that runs: the code object could not be linked"
        if self.reply["ended"] == "timeout" or self.signal == signal.SIGXCPU:
            return Outcome.TIMEOUT, ""
        if self.reply["ended"] == "memory":
            return Outcome.MEMORY, "its processes took more memory together than a trial may"
        if self.reply["ended"] == "processes":
            return Outcome.MEMORY, f"it started more than {PROCESSES} processes"
        if self._out_of_memory():
            return Outcome.MEMORY, ""
        if self.signal is not None:
            return Outcome.SIGNAL, ""
        if self.exit_code == 0:
            return Outcome.OK, ""
        return (Outcome.EXCEPTION if self.uncaught is not None else Outcome.EXIT), ""

    def _was_refused(self) -> bool:
        """By what `open`, `socket` and the like raise where a means of confinement says no."""
        confined = any(f["kind"] == "confined" and (f["landlock"] or f["inside"]) for f in self.facts)
        if not confined or self.uncaught is None:
            return False
        kind, message = self.uncaught["type"], self.uncaught["message"]
        return kind == "PermissionError" or (kind == "OSError" and _READ_ONLY in message)

    def _linker_missing(self) -> bool:
        """True where the linker did not run at all; a linker that ran says what it did not like."""
        said = self._printed() + "".join(f["message"] for f in self._raised())
        return "lld invocation failed" in said and "ld.lld: error:" not in said

    def _out_of_memory(self) -> bool:
        if self.exit_code == 0:
            return False
        if self.uncaught is not None:
            return self.uncaught["type"] == "MemoryError" or bool(_NO_MEMORY.search(self.uncaught["message"]))
        if self.signal == signal.SIGKILL:
            return bool(self.reply["oom_kill"])
        return self.signal is not None and bool(_NO_MEMORY.search(self._printed()))

    def _raised(self) -> list[Fact]:
        """Every exception that is known of, each once, the one that ended the script last."""
        ends = self.uncaught["ends"] if self.uncaught is not None else ()
        caught = [f for f in self.facts if f["kind"] == "raised" and f["number"] not in ends]
        return caught + ([self.uncaught] if self.uncaught is not None else [])

    def _exceptions(self) -> tuple[ExceptionFacts, ...]:
        return tuple(
            ExceptionFacts(
                type=f["type"],
                message=self._shorten(f["message"]),
                line=f["line"],
                caught=f["kind"] == "raised",
                module=f["module"],
                innermost=f["innermost"],
                during=f["during"],
            )
            for f in self._raised()
        )

    def _diagnostics(self, stage: Stage) -> tuple[Diagnostic, ...]:
        attached = [d for f in self._raised() for d in diagnostics.from_exception(f)]
        printed = self._printed_by_compiler()
        for fact in self._raised():
            # A traceback on stderr repeats the message that was just read.
            printed = printed.replace(fact["message"], "") if fact["message"] else printed
        said = {d.text for d in attached}
        # Twice the same is the assembly's second code generation, or a kernel compiled again.
        printed_once = dict.fromkeys(diagnostics.from_text(printed, self.script))
        native = [d for d in printed_once if d.text not in said]
        if stage is Stage.TRACE:
            # What crashed is the call that the traced line makes.
            native = [d if d.line else replace(d, line=self._crash_line()) for d in native]
        # While code is generated, what is printed is the cause, and what is raised says only that it failed.
        found = [*native, *attached] if stage is Stage.CODEGEN else [*attached, *native]
        return tuple(replace(d, text=self._shorten(d.text)[:TEXT_LIMIT]) for d in found)

    def _ir(self) -> tuple[str, ...]:
        """Each module once; a stage behind code generation is the assembly."""
        kind = "assembly" if self.probe.stage == ASSEMBLY else "ir"
        if Want.IR not in self.probe.wants:
            return ()
        found = [
            base64.b64decode(f["data"]).decode("utf-8", "replace") for f in self.facts if f["kind"] == kind
        ]
        return tuple(dict.fromkeys(found))

    def _kernels(self) -> tuple[Kernel, ...]:
        """Raises ValueError where a code object is damaged."""
        found: list[Kernel] = []
        texts: dict[str, assembly.KernelText] = {}
        for fact in self.facts:
            if fact["kind"] == "assembly":
                texts.update(assembly.parse(base64.b64decode(fact["data"]).decode("utf-8", "replace")))
            elif fact["kind"] == "object":
                found.extend(codeobject.kernels(base64.b64decode(fact["data"]), self.probe.arch))
        return tuple(_with_text(kernel, texts.get(kernel.name)) for kernel in found)

    def _crashed_in_script(self) -> bool:
        """True where the stack at the signal comes to the script's code before any of FlyDSL's."""
        if self.signal is None:
            return False
        own = tuple(f"{each}/" for each in (self.folder, self.probe.folder) if each is not None)
        for frame in _CRASH_FRAME.finditer(self.reply["crash"]):
            if frame["file"].startswith(own):
                return True
            if _FLYDSL_FILE.search(frame["file"]):
                return False
        return False

    @property
    def _stderr_limit(self) -> int:
        """Bytes; a script that records itself prints much."""
        return RECORD if Want.COVERAGE in self.probe.wants else STDERR_LIMIT

    def _crash_line(self) -> int | None:
        """The script's innermost line when it was ended from outside, from the stack that was left behind."""
        if self.signal is None:
            return None
        for frame in _CRASH_FRAME.finditer(self.reply["crash"]):
            if frame["file"] == self.script:
                return int(frame["line"])
        return None


def _ends(reply: Fact) -> tuple[bytes, bytes]:
    """What stands at the beginning and at the end of stderr."""
    return base64.b64decode(reply["head"]), base64.b64decode(reply["tail"])


def _with_text(kernel: Kernel, text: assembly.KernelText | None) -> Kernel:
    if text is None:
        return kernel
    return replace(kernel, instructions=text.instructions, bases=text.bases)
