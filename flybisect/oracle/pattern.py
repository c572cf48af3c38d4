"""Oracles over a pattern that the user gives; `oracles/text.py` and `oracles/ir.py` build one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flybisect.observation import Answer, Observation, Outcome, Signature, Verdict, Want
from flybisect.oracle.baseline import baseline_problem
from flybisect.oracle.figure import fails_anew
from flybisect.oracle.normalize import one_line
from flybisect.oracle.plugin import Evidence, Oracle
from flybisect.oracle.signatures import UNJUDGEABLE, classify
from flybisect.probe.ir_stages import unknown_stage
from flybisect.probe.patterns import Patterns, TooSlow

SHOWN = 120
"""Most characters of a line that are shown."""


@dataclass(frozen=True)
class PatternOracle(Oracle):
    """Interesting: the pattern matches (or, with `absent`, does not), and the baseline differs in that."""

    name: str
    pattern: Patterns
    absent: bool
    place: str
    """Where it is searched, for messages: `in the output`."""
    texts: Callable[[Observation], Sequence[str] | None]
    """The texts to search; None if the trial ended before they existed."""
    wants: frozenset[Want]
    stage: str | None = None

    def needs_baseline(self, subject: Observation) -> bool:
        try:
            return self._holds(subject)
        except TooSlow:
            return False

    def judge(self, evidence: Evidence) -> Verdict:
        try:
            return self._judged(evidence)
        except TooSlow as error:
            return Verdict(Answer.UNRESOLVED, None, evidence.subject.metrics(), str(error))

    def _judged(self, evidence: Evidence) -> Verdict:
        subject, baseline = evidence.subject, evidence.baseline
        seen, metrics = classify(subject), subject.metrics()
        unclear = self._unclear(subject)
        if unclear is not None:
            return Verdict(Answer.UNRESOLVED, seen, metrics, unclear)
        if not self._holds(subject):
            why = f"{self._said(absent=not self.absent)}" + (f"; {seen}" if seen is not None else "")
            return Verdict(Answer.UNINTERESTING, seen, metrics, why)
        if self.absent and fails_anew(seen, evidence.first):
            return Verdict(Answer.UNINTERESTING, seen, metrics, f"another failure: {seen}")
        found = self._signature(subject)
        if baseline is not None and self._unclear(baseline) is not None:
            why = f"the baseline: {self._unclear(baseline)}"
            return Verdict(Answer.UNRESOLVED, found, metrics, why)
        if baseline is not None and self._holds(baseline):
            why = f"{found}, and the same under the baseline"
            return Verdict(Answer.UNINTERESTING, found, metrics, why)
        if (problem := baseline_problem(evidence)) is not None:
            return Verdict(Answer.UNRESOLVED, found, metrics, problem)
        return Verdict(Answer.INTERESTING, found, metrics, self._said(self.absent))

    def _unclear(self, observation: Observation) -> str | None:
        """Why it can't be judged; None if it can."""
        seen = classify(observation)
        if seen is not None and seen.kind in UNJUDGEABLE:
            return f"cannot be judged: {seen}"
        if self.texts(observation) is None:
            missing = unknown_stage(self.stage, observation)
            return missing or f"there is no IR {self.place}: {seen or 'no kernel was compiled'}"
        cut_short = observation.outcome in (Outcome.TIMEOUT, Outcome.MEMORY)
        if self.absent and (cut_short or not observation.reached_flydsl):
            return "it ended before the pattern could appear" + (f": {seen}" if seen else "")
        return None

    def _holds(self, observation: Observation) -> bool:
        return self.texts(observation) is not None and (self._line(observation) is None) == self.absent

    def _line(self, observation: Observation) -> str | None:
        """The first line that matches."""
        found = self.pattern.found(self.texts(observation) or ())
        return found[0].line if found else None

    def _said(self, absent: bool) -> str:
        return (
            f"{self.pattern} does not occur {self.place}" if absent else f"{self.pattern} occurs {self.place}"
        )

    def _signature(self, observation: Observation) -> Signature:
        """The pattern identifies the bug; the line that matches is detail."""
        text = ("no " if self.absent else "") + f"{self.pattern} {self.place}"
        line = self._line(observation)
        return Signature(
            self.name, text, detail=text if line is None else f"{text}: {one_line(line)[:SHOWN]}"
        )
