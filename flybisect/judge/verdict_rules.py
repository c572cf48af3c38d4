"""The verdict on one script, by what its trials show. Nothing is counted or learned here, so that scripts may
be decided out of order, and in several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from flybisect.judge.flaky import Flakiness
from flybisect.judge.requirement import Requirement
from flybisect.judge.statistics import AnswerSource
from flybisect.judge.trials import Setting, Trials
from flybisect.judge.verdict_cache import VerdictCache
from flybisect.observation import Answer, Observation, Outcome, Signature, Verdict
from flybisect.oracle.blame import COMPILING
from flybisect.oracle.plugin import Evidence, Oracle
from flybisect.source.check import problem as static_problem
from flybisect.source.check import unbound_names
from flybisect.source.reach import may_compile


@dataclass(frozen=True)
class Decided:
    """A verdict, and where it came from."""

    verdict: Verdict
    source: AnswerSource
    evidence: Evidence | None = None
    """None where nothing new was seen."""


class VerdictRules:
    """Of one case. `pinned` and `first` are set once the unreduced script was looked at."""

    def __init__(
        self, oracle: Oracle, subject: Setting, baseline: Setting | None, trials: Trials, flakiness: Flakiness
    ) -> None:
        self.oracle = oracle
        self.subject = subject
        self.baseline = baseline
        self.cache = VerdictCache()
        self.first: Evidence | None = None
        self.pinned: Signature | None = None
        self.requirements: tuple[Requirement, ...] = ()
        """What an interesting candidate has to meet as well."""
        self._trials = trials
        self._flakiness = flakiness
        self._allowed: frozenset[str] = frozenset()
        self._must_compile = False
        self._problems: dict[str, str | None] = {}

    def read(self, source: str) -> None:
        """What the unreduced script, which was run, says about static checks: one that it would not pass
        itself is none for its candidates."""
        self._allowed = unbound_names(source)
        self._must_compile = self._shows_in_a_compile() and may_compile(source)
        self._problems.clear()

    def known(self, source: str) -> bool | None:
        """Whether it is interesting; None where that takes a trial. What is parsed is parsed here, in the
        thread that asks: Python 3.11 and older lose count of their depth where several threads do it (`AST
        constructor recursion depth`)."""
        verdict = self.cache.known(source)
        if verdict is not None:
            return verdict.interesting
        return None if self._problem(source) is None else False

    def decide(self, source: str, cancelled: threading.Event) -> Decided:
        known = self.cache.known(source)
        if known is not None:
            return Decided(known, AnswerSource.CACHE)
        problem = self._problem(source)
        if problem is not None:
            return Decided(Verdict(Answer.UNINTERESTING, why=problem), AnswerSource.STATIC)
        evidence, ran = self.evidence(source, cancelled)
        seen = [(self._against_pinned(self.verdict(evidence)), evidence)]

        def again() -> Verdict:
            seen.append(self.fresh(source, cancelled))
            return seen[-1][0]

        verdict = seen[0][0]
        if ran or self._flakiness.runs > 1:
            verdict = self._flakiness.settled(source, verdict, again)
        evidence = next(evidence for each, evidence in seen if each is verdict)
        ran = ran or len(seen) > 1
        if verdict.interesting and self.requirements:
            unmet, more = self._unmet(source, cancelled)
            verdict, ran = unmet or verdict, ran or more
            if unmet is not None and unmet.answer is Answer.UNRESOLVED:
                return Decided(unmet, AnswerSource.TRIAL)  # Another time it may be judged.
        return Decided(verdict, AnswerSource.TRIAL if ran else AnswerSource.CACHE, evidence)

    def trust(self, source: str, cancelled: threading.Event) -> Decided:
        """As `decide`, taking it that the base is as it was."""
        known = self.cache.known(source)
        if known is None and self._problem(source) is None:
            subject, ran = self._trials.shown(source, self.subject, self.oracle.wants, cancelled)
            if self.oracle.needs_baseline(subject):
                verdict = Verdict(
                    Answer.INTERESTING, self.pinned, subject.metrics(), "if the base is as it was"
                )
                unmet, more = self._unmet(source, cancelled)
                return Decided(unmet or verdict, AnswerSource.TRIAL if ran or more else AnswerSource.CACHE)
        return self.decide(source, cancelled)

    def fresh(self, source: str, cancelled: threading.Event | None) -> tuple[Verdict, Evidence]:
        """By new trials. What shows the bug is kept in the journal in place of what did not."""
        evidence = self._anew(source, cancelled)
        verdict = self._against_pinned(self.verdict(evidence))
        if verdict.interesting:
            self._trials.record(source, self.subject, self.oracle.wants, evidence.subject)
        return verdict, evidence

    def fresh_unpinned(self, source: str) -> tuple[Verdict, Evidence]:
        """The same of the unreduced script, while nothing is pinned."""
        evidence = self._anew(source, None)
        verdict = self.verdict(evidence)
        if verdict.interesting:
            for setting, seen in self.settings(evidence):
                self._trials.record(source, setting, self.oracle.wants, seen)
        return verdict, evidence

    def _anew(self, source: str, cancelled: threading.Event | None) -> Evidence:
        wants = self.oracle.wants
        subject, baseline = self._trials.fresh(source, self.subject, wants, cancelled), None
        if self.baseline is not None and self.oracle.needs_baseline(subject):
            baseline = self._trials.fresh(source, self.baseline, wants, cancelled)
        return Evidence(subject, baseline, self.first)

    def cold(self, source: str) -> Verdict:
        """In fresh processes, past journal and memory."""
        subject, baseline = self._trials.cold(source, self.subject, self.oracle.wants), None
        if self.baseline is not None and self.oracle.needs_baseline(subject):
            baseline = self._trials.cold(source, self.baseline, self.oracle.wants)
        verdict = self._against_pinned(self.verdict(Evidence(subject, baseline, self.first)))
        for each in self.requirements if verdict.interesting else ():

            def shown(setting: Setting) -> Observation:
                return self._trials.cold(source, setting, self.oracle.wants)

            verdict = self._met(each, self._elsewhere(each, shown)) or verdict
        return verdict

    def evidence(self, source: str, cancelled: threading.Event | None = None) -> tuple[Evidence, bool]:
        """What the candidate shows, and whether a trial was run for it."""
        subject, ran = self._trials.shown(source, self.subject, self.oracle.wants, cancelled)
        if self.baseline is None or not self.oracle.needs_baseline(subject):
            return Evidence(subject, None, self.first), ran
        baseline, ran_baseline = self._trials.shown(source, self.baseline, self.oracle.wants, cancelled)
        return Evidence(subject, baseline, self.first), ran or ran_baseline

    def required(self, source: str, requirement: Requirement) -> Evidence:
        """What a script shows where it has to compile."""

        def shown(setting: Setting) -> Observation:
            return self._trials.shown(source, setting, self.oracle.wants)[0]

        return self._elsewhere(requirement, shown)

    def _unmet(self, source: str, cancelled: threading.Event) -> tuple[Verdict | None, bool]:
        """Why an interesting candidate is none after all, and whether a trial was run for that."""
        ran: list[bool] = []

        def shown(setting: Setting) -> Observation:
            seen, anew = self._trials.shown(source, setting, self.oracle.wants, cancelled)
            ran.append(anew)
            return seen

        for each in self.requirements:
            unmet = self._met(each, self._elsewhere(each, shown))
            if unmet is not None:
                return unmet, any(ran)
        return None, any(ran)

    def _elsewhere(self, requirement: Requirement, shown: Callable[[Setting], Observation]) -> Evidence:
        subject = shown(requirement.setting)
        if requirement.baseline is None or not self.oracle.needs_baseline(subject):
            return Evidence(subject)
        return Evidence(subject, shown(requirement.baseline))

    def _met(self, requirement: Requirement, shown: Evidence) -> Verdict | None:
        """None where it is; else the verdict on the candidate."""
        name = requirement.setting.toolchain.version
        if any(
            each is not None and each.outcome is Outcome.BROKEN for each in (shown.subject, shown.baseline)
        ):
            why = f"FlyDSL {name} could not be used: {shown.subject.note}"
            return Verdict(Answer.UNRESOLVED, why=why)
        problem = requirement.problem(self.oracle, self.first, shown)
        if problem is None:
            return None
        return Verdict(Answer.UNINTERESTING, self.pinned, why=f"on FlyDSL {name} {problem}")

    def verdict(self, evidence: Evidence) -> Verdict:
        """By the oracle, whatever is pinned."""
        for setting, seen in self.settings(evidence):
            if seen.outcome is Outcome.BROKEN:
                why = f"FlyDSL {setting.toolchain.spec} could not be used: {seen.note}"
                return Verdict(Answer.UNRESOLVED, why=why)
        return self.oracle.judge(evidence)

    def settings(self, evidence: Evidence) -> Iterator[tuple[Setting, Observation]]:
        """What was seen, with what it was compiled with."""
        yield self.subject, evidence.subject
        if self.baseline is not None and evidence.baseline is not None:
            yield self.baseline, evidence.baseline

    def _against_pinned(self, verdict: Verdict) -> Verdict:
        """A candidate with another bug than the pinned one is not interesting."""
        if not verdict.interesting or verdict.signature == self.pinned:
            return verdict
        return replace(verdict, answer=Answer.UNINTERESTING, why=f"another bug: {verdict.signature}")

    def _problem(self, source: str) -> str | None:
        if source not in self._problems:
            found = static_problem(source, self._allowed)
            if found is None and self._must_compile and not may_compile(source):
                found = "nothing in it gets to a kernel"
            self._problems[source] = found
        return self._problems[source]

    def _shows_in_a_compile(self) -> bool:
        """True where what is pinned cannot show in a script that compiles nothing."""
        if self.pinned is None or self.first is None:
            return False
        measured = self.oracle.condition is not None and bool(self.first.subject.kernels)
        return self.first.subject.stage in COMPILING or measured
