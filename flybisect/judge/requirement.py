"""What a candidate has to be beside interesting: a script that compiles on another FlyDSL.

A repro is a difference. A candidate that shows the bug on the FlyDSL under study, and fails on one that does
not have the bug as well, is a script with a mistake of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from flybisect.judge.trials import Setting
from flybisect.observation import Answer, Observation, Outcome, Signature
from flybisect.oracle.blame import compiler_failure
from flybisect.oracle.plugin import Evidence, Oracle
from flybisect.oracle.signatures import classify


def compiles(seen: Observation) -> bool:
    """True where kernels were compiled, and nothing failed but what came after them, outside of tracing."""
    return bool(seen.kernels) and compiler_failure(seen) is None


@dataclass(frozen=True)
class Requirement:
    """Compiles with `setting`, and does not show the bug there."""

    setting: Setting
    baseline: Setting | None = None
    """What the case compares with when `setting` is tried."""
    first: Evidence | None = None
    """What the unreduced script shows there."""

    def begun(self, first: Evidence) -> Requirement:
        return replace(self, first=first)

    def problem(self, oracle: Oracle, pinned: Evidence | None, shown: Evidence) -> str | None:
        """Why what a script shows does not meet it; None where it does. `pinned`: what the unreduced script
        shows under study."""
        seen, known = shown.subject, None if self.first is None else self.first.subject
        failure = classify(seen)
        if failure is not None and not self._allows(failure, seen, known):
            return f"it shows {failure}"
        if not seen.kernels:
            return "it compiles no kernel"
        verdict = oracle.judge(replace(shown, first=pinned))
        if verdict.interesting:
            return f"it shows the bug as well: {verdict.why or verdict.signature}"
        if verdict.answer is Answer.UNRESOLVED:
            return f"it cannot be judged: {verdict.why}"
        return None

    def _allows(self, failure: Signature, seen: Observation, known: Observation | None) -> bool:
        """A failure behind the kernels, as of a check of numbers, where the unreduced script has it too."""
        if seen.outcome is Outcome.BROKEN or not compiles(seen):
            return False
        return known is None or failure == classify(known)
