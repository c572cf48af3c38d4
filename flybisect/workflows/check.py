"""Judging once, as `flybisect check` does: for `git bisect run`, C-Vise and people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from flybisect.case.case import Case
from flybisect.case.variables import say_missing
from flybisect.errors import UserError
from flybisect.judge.judge import Judge
from flybisect.judge.trials import NoMemory
from flybisect.observation import Answer, Observation, Signature, Verdict
from flybisect.oracle.blame import compiler_failure
from flybisect.oracle.command_exit import not_run
from flybisect.oracle.differences import Difference, differences
from flybisect.oracle.figure import empty_note
from flybisect.oracle.follow import sentence
from flybisect.oracle.plugin import Evidence
from flybisect.oracle.same_as import is_named
from flybisect.probe.ir_stages import unknown_stage
from flybisect.toolchain.store import Notify
from flybisect.workflows.prepare import prepare

EXIT_CODES = {Answer.INTERESTING: 0, Answer.UNINTERESTING: 1, Answer.UNRESOLVED: 125}
"""As `git bisect run` has them: 125 is "cannot be tested, skip"."""


@dataclass(frozen=True)
class CheckResult:
    """What `flybisect check` found."""

    oracle: str
    verdict: Verdict
    observation: Observation
    base: Observation | None
    differences: tuple[Difference, ...] = ()
    """Of all figures from the baseline's, ranked; empty without a baseline or a kernel."""
    followed: str | None = None
    """With `figure` in the case: which one a reduction would follow, in a sentence."""
    missing_variables: tuple[str, ...] = ()
    """That the script reads, and that are set here but not in trials."""

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict.answer]

    def to_dict(self) -> dict[str, Any]:
        """For `--json`. Keys are kept stable; more may come.

        verdict, why          what the oracle says
        oracle, signature     what was looked for, and what was found
        metrics               of the worst kernel; `base.NAME` is the baseline's
        observation, base     everything that was seen under the case, and under its baseline
        differences           [{figure, this, base, ratio, kind}]: figures that differ from the baseline's,
                              the largest ratio first (see docs/oracles.md)
        followed              which of them `reduce --figure` would follow, in a sentence; null without it
        missing_variables     that the script reads, and that are set here but not in trials
        """
        signature = self.verdict.signature
        return {
            "verdict": self.verdict.answer.value,
            "oracle": self.oracle,
            "signature": None if signature is None else str(signature),
            "metrics": dict(self.verdict.metrics),
            "why": self.verdict.why,
            "observation": json.loads(self.observation.to_json()),
            "base": None if self.base is None else json.loads(self.base.to_json()),
            "differences": [each.to_dict() for each in self.differences],
            "followed": self.followed,
            "missing_variables": list(self.missing_variables),
        }


def check_case(options: Case, notify: Notify, signature: str | None = None) -> CheckResult:
    """`check` of what the options name, past every journal. Raises UserError."""
    prepared = prepare(replace(options, jobs=1), notify)
    with prepared.judge(NoMemory(), measuring=True) as judge:
        if judge.oracle.interesting_when_empty:
            notify(empty_note(judge.oracle))
        found = check(judge, prepared.source, signature)
    return replace(found, missing_variables=tuple(say_missing(judge.unset, notify)))


def check(judge: Judge, source: str, signature: str | None = None) -> CheckResult:
    """Judge a script on its own. With a signature, another bug is not interesting.

    Raises UserError where the script does not parse, FlyDSL has no such stage or the command does not
    run; a toolchain that cannot be used is UNRESOLVED.
    """
    evidence, verdict = judge.observe_unreduced(source)
    problem = unknown_stage(judge.case.stage, evidence.subject) or not_run(
        judge.case.command, evidence.subject
    )
    if problem is not None:
        raise UserError(problem)
    if (
        signature is not None
        and verdict.interesting
        and not _is(verdict.signature, signature, judge.case.same_as)
    ):
        why = f"another bug than {signature}: {verdict.signature}"
        verdict = replace(verdict, answer=Answer.UNINTERESTING, why=why)
    oracle = judge.oracle.specialized(evidence)
    return CheckResult(
        oracle=oracle.name,
        verdict=verdict,
        observation=evidence.subject,
        base=evidence.baseline,
        differences=differences(_compared(judge, source, evidence)),
        followed=None if judge.case.figure is None else sentence(oracle),
    )


def _compared(judge: Judge, source: str, evidence: Evidence) -> Evidence:
    """With the baseline, where its figures can be compared."""
    measured = bool(evidence.subject.kernels) and compiler_failure(evidence.subject) is None
    if evidence.baseline is not None or not measured:
        return evidence
    return replace(evidence, baseline=judge.under_baseline(source))


def _is(seen: Signature | None, wanted: str, same_as: Sequence[str]) -> bool:
    """True for each way a signature is written, and for what the user named as the same bug."""
    if seen is None:
        return False
    return wanted in (str(seen), seen.text, f"{seen.kind}: {seen.text}") or is_named(seen, same_as)
