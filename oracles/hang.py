"""A trial that does not end: its time or its memory runs out.

What is too long is learned from what the script is compared with, where that ends by itself.
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
"""Of one endless loop it depends on the machine which limit is met first."""
FACTOR = 10
"""Times the wall seconds of a good run."""
LEAST = 10.0
"""Wall seconds, however quick the good run was."""
MEMORY_FACTOR = 4
"""Times the MiB of a good run, which are those of torch and FlyDSL for the most part."""
LEAST_MEMORY = 2048
"""MiB."""


@dataclass(frozen=True)
class Hang(Oracle):
    """Interesting: a limit of the trial is met, and (where there is a base) not under the base."""

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
            why = "it ended" if seen is None else f"another failure: {seen}"
            return Verdict(Answer.UNINTERESTING, seen, subject.metrics(), why)
        found = Signature("hang", f"during {subject.stage.value}")
        if baseline is not None and _hangs(baseline):
            why = f"{found}, and the same under what it is compared with"
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
    "compiling does not end: time or memory runs out (--timeout; else 10 times what the base takes)",
    build,
    takes=frozenset(),
)
