"""An oracle joined with the probes: a candidate goes in, a Verdict comes out.

What costs a trial is asked for last: a candidate that does not parse, reads an unbound name, gets to
no kernel, equals one judged before or stands in the journal is answered without a compile.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace

from flybisect.case.case import Case
from flybisect.errors import UserError
from flybisect.judge.flaky import (
    Flakiness,
    FlakinessNotes,
    may_flip,
    times_at_start,
)
from flybisect.judge.question import Question, Reply
from flybisect.judge.requirement import Requirement
from flybisect.judge.speculation import Speculation
from flybisect.judge.statistics import AnswerSource, Statistics, StatisticsCounter
from flybisect.judge.trials import Memory, Setting, Trials
from flybisect.judge.verdict_cache import tree_key
from flybisect.judge.verdict_rules import Decided, VerdictRules
from flybisect.observation import Answer, Observation, Outcome, Signature, Stage, Verdict, Want
from flybisect.oracle.plugin import Evidence, Oracle
from flybisect.oracle.signatures import WORTH_REPORTING
from flybisect.probe.prober import Prober
from flybisect.source.check import syntax_problem

__all__ = ["Judge", "Memory", "Prober", "Setting"]


class Judge:
    """Judges candidates for one case. Call `pin` with the unreduced script before anything else, and `close`
    at the end where `guesses` were given."""

    def __init__(
        self,
        case: Case,
        oracle: Oracle,
        subject: Setting,
        baseline: Setting | None,
        prober: Prober,
        journal: Memory,
        jobs: int = 1,
    ) -> None:
        self.case = case
        self.subject = subject
        self.baseline = baseline
        self.jobs = jobs
        self.flakiness = Flakiness()
        """Where the answer differs from run to run."""
        self._journal = journal
        self._counter = StatisticsCounter()
        self._trials = Trials(case, prober, journal, self._counter)
        self._trials.flaky = lambda: self.flakiness.runs > 1
        self._rules = VerdictRules(oracle, subject, baseline, self._trials, self.flakiness)
        self._speculation = Speculation(self._answer, _key, jobs, self._is_costless)
        self._also_seen: dict[Signature, str] = {}
        self._failing_line: dict[str, int] = {}
        self.unset: set[str] = set()
        """Environment variables that scripts looked at read in vain."""
        self._missed = 0
        """Runs of the unreduced script before the one that showed its bug."""

    @property
    def oracle(self) -> Oracle:
        """What judges; another one than was given where it settled on that in `pin`."""
        return self._rules.oracle

    @property
    def statistics(self) -> Statistics:
        return self._counter.snapshot()

    @property
    def compares(self) -> bool:
        """True when there is a base."""
        return self.baseline is not None

    @property
    def first(self) -> Evidence | None:
        """What the unreduced script showed; None before `pin`."""
        return self._rules.first

    @property
    def signature(self) -> Signature | None:
        """The pinned one: what a candidate must show."""
        return self._rules.pinned

    @property
    def required(self) -> tuple[Requirement, ...]:
        """What an interesting candidate meets beside."""
        return self._rules.requirements

    @property
    def also_seen(self) -> Mapping[Signature, str]:
        """Other failures of the compiler that candidates showed, each with the first such script."""
        return dict(self._also_seen)

    def observe(self, source: str) -> tuple[Evidence, Verdict]:
        """What a script shows on its own, pinned to nothing. Raises UserError where it does not parse."""
        problem = syntax_problem(source)
        if problem is not None:
            raise UserError(f"{self.case.script}: {problem}")
        self._learn_bounds(source)
        evidence, ran = self._rules.evidence(source)
        self._counter.candidate(AnswerSource.TRIAL if ran else AnswerSource.CACHE)
        evidence = replace(evidence, first=None)
        for _, seen in self._rules.settings(evidence):
            self.unset.update(seen.unset)
        return evidence, self._rules.verdict(evidence)

    def observe_unreduced(self, source: str) -> tuple[Evidence, Verdict]:
        """The same of the unreduced script: where it shows nothing it is run some more, by new trials, as one
        that shows its bug is (`measure_flakiness`). What an earlier run saw does not decide."""
        evidence, verdict = self.observe(source)
        broken = any(seen.outcome is Outcome.BROKEN for _, seen in self._rules.settings(evidence))
        if broken or not may_flip(verdict):
            return evidence, verdict
        self._missed = 0
        for _ in range(times_at_start(evidence.subject.seconds)):
            self._missed += 1
            again, shown = self._rules.fresh_unpinned(source)
            if again.interesting:
                return shown, replace(again, why=f"{again.why} (in 1 of {self._missed + 1} runs)")
        return evidence, replace(verdict, why=f"{verdict.why} (in each of {self._missed + 1} runs)")

    def under_baseline(self, source: str) -> Observation | None:
        """What a script shows there, also where the oracle does not need it; None without a baseline."""
        if self.baseline is None:
            return None
        return self._trials.shown(source, self.baseline, self.oracle.wants)[0]

    def recalled(self, source: str) -> Evidence | None:
        """What a script shows, and under the baseline, by the journal alone; None if that lacks it."""
        wants = self.oracle.wants
        subject = self._trials.recalled(source, self.subject, wants)
        if subject is None or self.baseline is None:
            return None if subject is None else Evidence(subject, None, self.first)
        baseline = self._trials.recalled(source, self.baseline, wants)
        return None if baseline is None else Evidence(subject, baseline, self.first)

    def pin(self, source: str) -> Verdict:
        """Judge the unreduced script; when it is interesting, its signature is the one wanted.

        Raises UserError where it does not parse or a toolchain cannot be used. A verdict that is not
        interesting pins nothing: see `flybisect.oracle.hint.explain_uninteresting`.
        """
        evidence, verdict = self.observe_unreduced(source)
        for setting, seen in self._rules.settings(evidence):
            if seen.outcome is Outcome.BROKEN:
                raise UserError(f"FlyDSL {setting.toolchain.spec} cannot be used: {seen.note or seen.stderr}")
        if verdict.interesting and self.baseline is not None and evidence.baseline is None:
            # A condition may ask for `first.base` later, where it did not for the first script itself.
            evidence = replace(evidence, baseline=self.under_baseline(source))
        rules = self._rules
        rules.first = evidence
        if verdict.interesting:
            rules.oracle = rules.oracle.specialized(evidence)
        rules.pinned = verdict.signature if verdict.interesting else None
        rules.read(source)
        if verdict.interesting:
            self._learn(source, evidence)
        rules.cache.remember(source, verdict)
        return verdict

    def require(self, source: str, requirement: Requirement) -> str | None:
        """From now on a candidate has to meet this, too. To be called after `pin`, with the same script.

        Why that script does not meet it itself, in which case nothing is asked of its candidates; else None.
        """
        rules = self._rules
        shown = rules.required(source, requirement)
        problem = requirement.problem(self.oracle, self.first, shown)
        if problem is not None:
            return problem
        rules.requirements += (requirement.begun(shown),)
        self._trials.learn(shown.subject)
        if self.baseline is None:
            self._bound(shown.subject)
        return None

    def measure_flakiness(self, source: str) -> None:
        """Run the pinned script some more, lest it show the bug now and then only. Raises UserError where
        that is too rarely to judge by; see `flybisect.judge.flaky`."""
        first = self._rules.first
        assert first is not None
        self.flakiness.notes = self._journal if isinstance(self._journal, FlakinessNotes) else None
        pinned = self._rules.verdict(first)

        def runs(times: int) -> Iterator[Verdict]:
            """By new trials, `jobs` at once."""

            def run(number: int, cancelled: threading.Event) -> Verdict:
                return self._rules.fresh(source, cancelled)[0]

            together = Speculation(run, lambda number: number, self.jobs)
            with closing(together):
                for _, verdict in together.in_order(range(times)):
                    yield verdict

        self.flakiness.begin(pinned, first.subject.seconds, runs, missed=self._missed)

    def judge(self, source: str) -> Verdict:
        """The verdict on one candidate. An interesting one shows the pinned signature."""
        return self._judged(Question(source), ())

    def ask(self, question: Question, ahead: Iterable[Question] = ()) -> Reply:
        """Answers a question of the reducer. `ahead`: what may be asked next.

        Up to `jobs` of these are tried meanwhile, until a question comes that was not among them, or `close`.
        A trusted candidate whose own trial leaves it to the baseline counts as interesting without the
        baseline's compile; ask again without trust before it is kept.
        """
        source = question.source
        if question.wants is not None:
            if self.jobs > 1:
                self._speculation.answer(question, ahead)  # It may be under way.
            return Reply(shown=self._observed(source, question.wants))
        trial = self._rules.known(source) is None
        interesting = self._judged(question, ahead).interesting
        return Reply(interesting, trial, self._failing_line.get(source) if interesting else None)

    def _judged(self, question: Question, ahead: Iterable[Question]) -> Verdict:
        return self._account(question.source, self._speculation.answer(question, ahead))

    def close(self) -> None:
        """Calls off what is tried ahead."""
        self._speculation.close()

    def known(self, source: str) -> bool | None:
        """Whether a script is interesting, where that takes no trial to tell."""
        return self._rules.known(source)

    def failing_line(self, source: str) -> int | None:
        """The script's line that the compiler named when this very text was found interesting."""
        return self._failing_line.get(source)

    def confirm_cold(self, source: str) -> Verdict:
        """Judge once more, in fresh processes and without journal or memory.

        As often as a candidate is, where the bug shows in some runs only.
        """
        for _ in range(self.flakiness.runs):
            verdict = self._rules.cold(source)
            if verdict.interesting:
                break
        return verdict

    def _observed(
        self, source: str, wants: frozenset[Want], cancelled: threading.Event | None = None
    ) -> tuple[Observation, ...]:
        settings = [self.subject] if self.baseline is None else [self.subject, self.baseline]
        wanted = self.oracle.wants | wants
        shown = (
            self._trials.shown(source, each, wanted, cancelled, by_command=False)[0] for each in settings
        )
        return tuple(shown)

    def _is_costless(self, question: Question) -> bool:
        return question.wants is None and self._rules.known(question.source) is not None

    def _answer(self, question: Question, cancelled: threading.Event) -> Decided:
        rules = self._rules
        if question.wants is not None:
            self._observed(question.source, question.wants, cancelled)
            return Decided(Verdict(Answer.UNRESOLVED), AnswerSource.CACHE)  # What it shows is in the journal.
        return (rules.trust if question.trusted else rules.decide)(question.source, cancelled)

    def _account(self, source: str, decision: Decided) -> Verdict:
        """Take note of an answer, in the order of the candidates (they may be decided out of order)."""
        cache = self._rules.cache
        known = cache.known(source)
        if known is not None:
            # An equal one was answered meanwhile; alone, this one would not have been run.
            decision = Decided(known, AnswerSource.CACHE)
        verdict = decision.verdict
        self._counter.candidate(decision.source)
        if decision.evidence is not None:
            seen = self._rules.settings(decision.evidence)
            if not any(each.outcome is Outcome.BROKEN for _, each in seen):
                cache.remember(source, verdict)
            if verdict.interesting:
                self._learn(source, decision.evidence)
            self._note_signature(source, verdict)
        return verdict

    def _note_signature(self, source: str, verdict: Verdict) -> None:
        seen = verdict.signature
        if seen is not None and seen != self.signature and seen.kind in WORTH_REPORTING:
            self._also_seen.setdefault(seen, source)

    def _learn(self, source: str, evidence: Evidence) -> None:
        line = _line_of_failure(evidence.subject)
        if line is not None:
            self._failing_line[source] = line
        for _, seen in self._rules.settings(evidence):
            self._trials.learn(seen)

    def _learn_bounds(self, source: str) -> None:
        """Where the oracle takes its limits from a good run, that run goes first."""
        if self.oracle.limits_trials and self.baseline is not None:
            self._bound(self._trials.shown(source, self.baseline, self.oracle.wants)[0])

    def _bound(self, good: Observation) -> None:
        bounds = self.oracle.trial_limits(good)
        if bounds is not None:
            self._trials.bound(bounds.seconds, bounds.memory)


def _key(question: Question) -> Hashable:
    """Of questions with one key, a trial of one answers the other."""
    return tree_key(question.source), question.trusted, question.wants


def _line_of_failure(seen: Observation) -> int | None:
    """What a diagnostic names; the script's innermost frame where tracing itself raised."""
    for diagnostic in seen.diagnostics:
        if diagnostic.severity == "error" and diagnostic.line is not None:
            return diagnostic.line
    if seen.crash_line is not None and seen.stage not in (Stage.PASSES, Stage.CODEGEN):
        return seen.crash_line  # There it is the launch, which says nothing of what is compiled.
    if seen.stage is Stage.TRACE and seen.exceptions:
        return seen.exceptions[-1].line
    return None
