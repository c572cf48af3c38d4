"""A trial that does not terminate: it exceeds its time or its memory.

If the baseline terminates, the limits follow from its run.
"""

from __future__ import annotations

from dataclasses import dataclass

from flybisect.observation import Answer, Observation, Signature, Verdict
from flybisect.oracle.baseline import baseline_problem
from flybisect.oracle.plugin import (
    Evidence,
    Options,
    Oracle,
    Plugin,
    TrialLimits,
)
from flybisect.oracle.signatures import UNJUDGEABLE, classify

_LIMITS = ("hang", "memory")
"""One bug: which limit an endless loop exceeds first depends on the machine."""
FACTOR = 10
"""Multiple of the wall seconds of a good run."""
LEAST = 10.0
"""Least wall seconds."""
MEMORY_FACTOR = 4
"""Multiple of the MiB of a good run, most of which torch and FlyDSL take."""
LEAST_MEMORY = 2048
"""Least MiB."""


@dataclass(frozen=True)
class Hang(Oracle):
    """Interesting: the trial exceeds a limit, and does not under the baseline (if there is one)."""

    name: str = "hang"
    limits_trials: bool = True

    def needs_baseline(self, subject: Observation) -> bool:
        return _hangs(subject)

    def trial_limits(self, baseline: Observation) -> TrialLimits | None:
        if _hangs(baseline) or not baseline.reached_flydsl:
            return None
        seconds, memory = FACTOR * baseline.seconds, MEMORY_FACTOR * baseline.peak_mib
        return TrialLimits(max(LEAST, seconds), max(LEAST_MEMORY, memory))

    def judge(self, evidence: Evidence) -> Verdict:
        subject, baseline = evidence.subject, evidence.baseline
        seen = classify(subject)
        if seen is not None and seen.kind in UNJUDGEABLE:
            return Verdict(Answer.UNRESOLVED, seen, subject.metrics(), f"cannot be judged: {seen}")
        if not _hangs(subject):
            why = "the script terminated" if seen is None else f"another failure: {seen}"
            return Verdict(Answer.UNINTERESTING, seen, subject.metrics(), why)
        found = Signature("hang", f"during {subject.stage.value}")
        if baseline is not None and _hangs(baseline):
            why = f"{found}, and the same under the baseline"
            return Verdict(Answer.UNINTERESTING, found, subject.metrics(), why)
        if (problem := baseline_problem(evidence)) is not None:
            return Verdict(Answer.UNRESOLVED, found, subject.metrics(), problem)
        return Verdict(Answer.INTERESTING, found, subject.metrics(), f"{seen}")


def _hangs(observation: Observation) -> bool:
    seen = classify(observation)
    return seen is not None and seen.kind in _LIMITS


def build(options: Options) -> Hang:
    return Hang()


PLUGIN = Plugin(
    "hang",
    "compiling does not terminate: time or memory runs out (--timeout; else 10 times the baseline's)",
    build,
    takes=frozenset(),
)
