"""Chooses an oracle by what the unreduced script shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from flybisect.observation import Answer, Observation, Verdict
from flybisect.oracle import registry
from flybisect.oracle.blame import compiler_failure, is_script_failure, script_failure_text
from flybisect.oracle.conditions import parse
from flybisect.oracle.plugin import (
    Evidence,
    Options,
    Oracle,
    Plugin,
)
from flybisect.oracle.signatures import UNJUDGEABLE, classify

ORACLES: Mapping[str, str] = MappingProxyType(
    {
        "legalization": "legalization",
        "verifier": "verifier",
        "diagnostic": "diagnostic",
        "assertion": "assertion",
        "fatal": "crash",
        "crash": "crash",
        "exception": "exception",
        "hang": "hang",
        "memory": "hang",
    }
)
"""The oracle for each kind of failure. Other kinds say nothing about a bug of the compiler."""
FIGURES = ("spills", "vgprs")
"""The oracles to try, in this order, if nothing fails."""


@dataclass(frozen=True)
class Auto(Oracle):
    """Interesting: the oracle that fits the unreduced script says so."""

    options: Options
    name: str = "auto"
    provisional: bool = True

    def needs_baseline(self, subject: Observation) -> bool:
        return self.specialized(Evidence(subject)).needs_baseline(subject)

    def specialized(self, first: Evidence) -> Oracle:
        """The oracle that fits `first`; one that finds nothing interesting if none fits."""
        seen = compiler_failure(first.subject)
        if seen is not None and seen.kind in ORACLES and not is_script_failure(first.subject, seen):
            return _built(ORACLES[seen.kind], self.options)
        if not first.subject.kernels:
            return NothingInteresting(self.name)
        return self._measuring(first)

    def judge(self, evidence: Evidence) -> Verdict:
        return self.specialized(evidence.first or evidence).judge(evidence)

    def _measuring(self, first: Evidence) -> Oracle:
        if not self.options.compares:
            spills = _built("spills", self.options)
            return spills if spills.judge(first).interesting else NothingInteresting(FIGURES[-1])
        oracles = [_built(name, self.options) for name in FIGURES]
        fitting = (oracle for oracle in oracles if oracle.judge(first).interesting)
        return next(fitting, oracles[-1])


@dataclass(frozen=True)
class NothingInteresting(Oracle):
    """Finds nothing interesting. `name` is the oracle that would need more options."""

    name: str

    def judge(self, evidence: Evidence) -> Verdict:
        subject = evidence.subject
        seen = classify(subject)
        if seen is not None and seen.kind in UNJUDGEABLE:
            return Verdict(Answer.UNRESOLVED, seen, subject.metrics(), f"cannot be judged: {seen}")
        if seen is not None:
            why = script_failure_text(subject, seen)
        elif not subject.kernels:
            why = (
                "the script compiled no kernel; run the function that launches one "
                "(for a test file, name the test: FILE.py::TEST)"
            )
        else:
            why = (
                f"the script compiled without a failure or spills; to judge its {subject.metrics()['vgprs']} "
                "vgprs, give a threshold (--when EXPR) or a baseline (--against-…)"
            )
        return Verdict(Answer.UNINTERESTING, seen, subject.metrics(), why)


def _built(name: str, options: Options) -> Oracle:
    return registry.load(name).build(options)


def build(options: Options) -> Oracle:
    """The oracle that accepts the given option, if one is given; else `Auto`."""
    if options.command is not None:
        return _built("command", options)
    if options.pattern is not None:
        return _built("text" if options.stage is None else "ir", options)
    if options.when is not None:
        terms = parse(options.when).terms
        named = [name for name in FIGURES if registry.load(name).metric in terms]
        return _built(named[0] if named else "isa", options)
    return Auto(options)


PLUGIN = Plugin(
    "auto",
    "chooses the oracle by what the unreduced script shows",
    build,
    takes=frozenset({"when", "pattern", "absent", "stage", "command"}),
)
