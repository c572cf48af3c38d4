"""Whether the baseline of a case is usable. Pure.

If the baseline fails, or fails differently than it did for the unreduced script, it proves nothing: neither
that the failure is absent nor how good a figure could be.
"""

from __future__ import annotations

from flybisect.observation import Observation, Outcome, Signature, Stage
from flybisect.oracle.plugin import Evidence
from flybisect.oracle.signatures import UNJUDGEABLE, classify, exception_signature


def baseline_problem(evidence: Evidence) -> str | None:
    """One sentence that says why the baseline is unusable. None if it is usable or was not compiled."""
    baseline, first = evidence.baseline, evidence.first
    seen = None if baseline is None else _failure(baseline)
    if baseline is None or seen is None:
        return None
    if first is not None and first.baseline is not None:
        sound = seen == _failure(first.baseline)
    else:
        sound = seen == _failure(evidence.subject) or _came_as_far(baseline, evidence.subject)
    return None if sound else f"the baseline fails, so nothing can be compared with it: {seen}"


def _failure(observation: Observation) -> Signature | None:
    """The signature of a failure, whether the compiler or the script itself caused it."""
    seen = classify(observation)
    if seen is None and observation.exception is not None:
        return exception_signature(observation.exception)
    if seen is None and observation.outcome is Outcome.EXIT:
        return Signature("exit", f"exit code {observation.exit_code}")
    return seen


def _came_as_far(baseline: Observation, subject: Observation) -> bool:
    """True if the script's own code ended both runs after their compiles, as a check of results does without
    a GPU. Also true if it ended only the baseline, after more compiles than the case did."""
    if not _ended_after_compiles(baseline):
        return False
    return _ended_after_compiles(subject) or len(baseline.kernels) > len(subject.kernels)


def _ended_after_compiles(observation: Observation) -> bool:
    seen, ended = classify(observation), observation.exception
    if seen is not None and seen.kind in UNJUDGEABLE:
        return False
    by_script = observation.outcome is Outcome.EXIT or (ended is not None and ended.during == "host")
    return by_script and bool(observation.kernels) and observation.stage is Stage.DONE
