"""An oracle joined with the probes: a candidate goes in, a Verdict comes out.

What costs a trial is asked for last: a candidate that does not parse, reads an unbound name, equals
one judged before or stands in the journal is answered without a compile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from flybisect.case import Case
from flybisect.counts import Counter, Counts, Source
from flybisect.errors import UserError
from flybisect.memo import Memo, tree_key
from flybisect.observation import Answer, Observation, Outcome, Signature, Stage, Verdict, Want
from flybisect.oracle import Bounding, Evidence, Oracle, Settling
from flybisect.probe.prober import Prober
from flybisect.repeats import Notes, Repeats
from flybisect.script.check import problem as static_problem
from flybisect.script.check import syntax_problem, unbound_names
from flybisect.signature import WORTH_REPORTING
from flybisect.speculate import Speculation
from flybisect.trials import Memory, Setting, Trials

__all__ = ["Judge", "Memory", "Prober", "Setting"]


@dataclass(frozen=True)
class _Decision:
    verdict: Verdict
    source: Source
    evidence: Evidence | None = None


@dataclass(frozen=True)
class _Asked:
    source: str
    trusted: bool = False

    @property
    def key(self) -> tuple[str, bool]:
        return tree_key(self.source), self.trusted


class Judge:
    """Judges candidates for one case. Call `pin` with the unreduced script before anything else, and `close`
    at the end where `guesses` were given."""

    def __init__(
        self,
        case: Case,
        oracle: Oracle,
        subject: Setting,
        base: Setting | None,
        prober: Prober,
        journal: Memory,
        jobs: int = 1,
    ) -> None:
        self.case = case
        self.oracle = oracle
        self.subject = subject
        self.base = base
        self.jobs = jobs
        self.repeats = Repeats()
        """Where the answer differs from run to run."""
        self._journal = journal
        self._counter = Counter()
        self._trials = Trials(case, prober, journal, self._counter)
        self._trials.unsteady = lambda: self.repeats.runs > 1
        self._speculation = Speculation(self._answer, lambda asked: asked.key, jobs, self._is_known)
        self._memo = Memo()
        self._first: Evidence | None = None
        self._pinned: Signature | None = None
        self._also_seen: dict[Signature, str] = {}
        self._failing_line: dict[str, int] = {}
        self._allowed: frozenset[str] = frozenset()
        self._problems: dict[str, str | None] = {}

    @property
    def counts(self) -> Counts:
        return self._counter.snapshot()

    @property
    def compares(self) -> bool:
        """True when there is a base."""
        return self.base is not None

    @property
    def first(self) -> Evidence | None:
        """What the unreduced script showed; None before `pin`."""
        return self._first

    @property
    def signature(self) -> Signature | None:
        """The pinned one: what a candidate must show."""
        return self._pinned

    @property
    def also_seen(self) -> Mapping[Signature, str]:
        """Other failures of the compiler that candidates showed, each with the first such script."""
        return dict(self._also_seen)

    def look(self, source: str) -> tuple[Evidence, Verdict]:
        """What a script shows on its own, pinned to nothing. Raises UserError where it does not parse."""
        problem = syntax_problem(source)
        if problem is not None:
            raise UserError(f"{self.case.script}: {problem}")
        self._learn_bounds(source)
        subject, ran = self._trials.shown(source, self.subject, self.oracle.wants)
        base, ran_base = self._base(source, subject, None)
        self._counter.candidate(Source.TRIAL if ran or ran_base else Source.CACHE)
        evidence = Evidence(subject, base)
        return evidence, self._verdict(evidence)

    def pin(self, source: str) -> Verdict:
        """Judge the unreduced script; when it is interesting, its signature is the one wanted.

        Raises UserError where it does not parse or a toolchain cannot be used. A verdict that is not
        interesting pins nothing: see `flybisect.explain.explain_uninteresting`.
        """
        evidence, verdict = self.look(source)
        for setting, seen in self._settings(evidence):
            if seen.outcome is Outcome.BROKEN:
                raise UserError(f"FlyDSL {setting.toolchain.spec} cannot be used: {seen.note or seen.stderr}")
        if verdict.interesting and self.base is not None and evidence.base is None:
            # A condition may ask for `first.base` later, where it did not for the first script itself.
            base = self._trials.shown(source, self.base, self.oracle.wants)[0]
            evidence = replace(evidence, base=base)
        self._first = evidence
        if verdict.interesting and isinstance(self.oracle, Settling):
            self.oracle = self.oracle.settled(evidence)
        # Names that `exec` or the like bind; a candidate may read what the original reads.
        self._allowed = unbound_names(source)
        self._problems.clear()
        self._pinned = verdict.signature if verdict.interesting else None
        if verdict.interesting:
            self._learn(source, evidence)
        self._memo.remember(source, verdict)
        return verdict

    def look_again(self, source: str) -> None:
        """Run the pinned script some more, lest it show the bug now and then only. Raises UserError where
        that is too rarely to judge by; see `flybisect.repeats`."""
        assert self._first is not None
        self.repeats.notes = self._journal if isinstance(self._journal, Notes) else None
        pinned, seconds = self._verdict(self._first), self._first.subject.seconds
        self.repeats.begin(pinned, seconds, lambda: self._fresh(source, None)[0])

    def judge(self, source: str) -> Verdict:
        """The verdict on one candidate. An interesting one shows the pinned signature."""
        return self._account(source, self._speculation.answer(_Asked(source)))

    def verdicts(
        self,
        sources: Iterable[str],
        trusted: Callable[[str], bool] = lambda source: False,
        guesses: Callable[[str], Iterator[tuple[str, bool]]] | None = None,
    ) -> Iterator[tuple[str, Verdict]]:
        """Each candidate with its verdict, in order, with `jobs` tried at once.

        Candidates are pulled lazily, at most `jobs` ahead. Close the iterator (or leave the loop) when
        enough is known: what runs is cancelled then. A trusted candidate whose subject leaves it to the
        base counts as interesting without the base's compile; ask `judge` before it is kept.

        With `guesses` candidates are pulled one by one. What is tried beside one is what they give for it,
        sources and whether each is trusted; that goes on until a candidate comes that was not foreseen, or
        `close`.
        """
        compares = self.base is not None
        asked = (_Asked(source, compares and trusted(source)) for source in sources)

        def foreseen(asked: _Asked) -> Iterator[_Asked]:
            assert guesses is not None
            return (_Asked(source, compares and trust) for source, trust in guesses(asked.source))

        with closing(self._speculation.in_order(asked, None if guesses is None else foreseen)) as answers:
            for each, decision in answers:
                yield each.source, self._account(each.source, decision)

    def close(self) -> None:
        """Calls off what is tried ahead."""
        self._speculation.close()

    def observe(self, source: str, wants: frozenset[Want] = frozenset()) -> tuple[Observation, ...]:
        """What a script shows under the subject, then the base, with more than the oracle wants."""
        settings = [self.subject] if self.base is None else [self.subject, self.base]
        wanted = self.oracle.wants | wants
        return tuple(self._trials.shown(source, each, wanted, by_command=False)[0] for each in settings)

    def failing_line(self, source: str) -> int | None:
        """The script's line that the compiler named when this very text was found interesting."""
        return self._failing_line.get(source)

    def confirm_cold(self, source: str) -> Verdict:
        """Judge once more, in fresh processes and without journal or memory.

        As often as a candidate is, where the bug shows in some runs only.
        """
        for _ in range(self.repeats.runs):
            verdict = self._judged_cold(source)
            if verdict.interesting:
                break
        return verdict

    def _judged_cold(self, source: str) -> Verdict:
        subject = self._trials.cold(source, self.subject, self.oracle.wants)
        base = None
        if self.base is not None and self.oracle.needs_base(subject):
            base = self._trials.cold(source, self.base, self.oracle.wants)
        return self._against_pinned(self._verdict(Evidence(subject, base, self._first)))

    def _is_known(self, asked: _Asked) -> bool:
        """Whether it costs no trial. What is parsed is parsed here, in the thread that asks: Python 3.11 and
        older lose count of their depth where several threads do it (`AST constructor recursion depth`)."""
        return self._memo.known(asked.source) is not None or self._problem(asked.source) is not None

    def _problem(self, source: str) -> str | None:
        if source not in self._problems:
            self._problems[source] = static_problem(source, self._allowed)
        return self._problems[source]

    def _answer(self, asked: _Asked, cancelled: threading.Event) -> _Decision:
        return (self._trust if asked.trusted else self._decide)(asked.source, cancelled)

    def _decide(self, source: str, cancelled: threading.Event) -> _Decision:
        known = self._memo.known(source)
        if known is not None:
            return _Decision(known, Source.CACHE)
        problem = self._problem(source)
        if problem is not None:
            return _Decision(Verdict(Answer.UNINTERESTING, why=problem), Source.STATIC)
        evidence, ran = self._evidence(source, cancelled)
        seen = [(self._against_pinned(self._verdict(evidence)), evidence)]

        def again() -> Verdict:
            seen.append(self._fresh(source, cancelled))
            return seen[-1][0]

        verdict = seen[0][0]
        if ran or self.repeats.runs > 1:
            verdict = self.repeats.settled(source, verdict, again)
        evidence = next(evidence for each, evidence in seen if each is verdict)
        return _Decision(verdict, Source.TRIAL if ran or len(seen) > 1 else Source.CACHE, evidence)

    def _fresh(self, source: str, cancelled: threading.Event | None) -> tuple[Verdict, Evidence]:
        """By new trials. What shows the bug is kept in the journal in place of what did not."""
        wants = self.oracle.wants
        subject, base = self._trials.fresh(source, self.subject, wants, cancelled), None
        if self.base is not None and self.oracle.needs_base(subject):
            base = self._trials.fresh(source, self.base, wants, cancelled)
        evidence = Evidence(subject, base, self._first)
        verdict = self._against_pinned(self._verdict(evidence))
        if verdict.interesting:
            self._trials.record(source, self.subject, wants, subject)
        return verdict, evidence

    def _trust(self, source: str, cancelled: threading.Event) -> _Decision:
        """As `_decide`, taking it that the base is as it was."""
        known = self._memo.known(source)
        if known is None and self._problem(source) is None:
            subject, ran = self._trials.shown(source, self.subject, self.oracle.wants, cancelled)
            if self.oracle.needs_base(subject):
                verdict = Verdict(
                    Answer.INTERESTING, self._pinned, subject.metrics(), "if the base is as it was"
                )
                return _Decision(verdict, Source.TRIAL if ran else Source.CACHE)
        return self._decide(source, cancelled)

    def _account(self, source: str, decision: _Decision) -> Verdict:
        """Take note of an answer, in the order of the candidates (`_decide` may run out of order)."""
        known = self._memo.known(source)
        if known is not None:
            # An equal one was answered meanwhile; alone, this one would not have been run.
            decision = _Decision(known, Source.CACHE)
        verdict = decision.verdict
        self._counter.candidate(decision.source)
        if decision.evidence is not None:
            if not self._broken(decision.evidence):
                self._memo.remember(source, verdict)
            if verdict.interesting:
                self._learn(source, decision.evidence)
            self._note_signature(source, verdict)
        return verdict

    def _note_signature(self, source: str, verdict: Verdict) -> None:
        seen = verdict.signature
        if seen is not None and seen != self._pinned and seen.kind in WORTH_REPORTING:
            self._also_seen.setdefault(seen, source)

    def _learn(self, source: str, evidence: Evidence) -> None:
        line = _line_of_failure(evidence.subject)
        if line is not None:
            self._failing_line[source] = line
        for _, seen in self._settings(evidence):
            self._trials.learn(seen)

    def _verdict(self, evidence: Evidence) -> Verdict:
        for setting, seen in self._settings(evidence):
            if seen.outcome is Outcome.BROKEN:
                why = f"FlyDSL {setting.toolchain.spec} could not be used: {seen.note}"
                return Verdict(Answer.UNRESOLVED, why=why)
        return self.oracle.judge(evidence)

    def _against_pinned(self, verdict: Verdict) -> Verdict:
        """A candidate with another bug than the pinned one is not interesting."""
        if not verdict.interesting or verdict.signature == self._pinned:
            return verdict
        return replace(verdict, answer=Answer.UNINTERESTING, why=f"another bug: {verdict.signature}")

    def _evidence(self, source: str, cancelled: threading.Event) -> tuple[Evidence, bool]:
        """What the candidate shows, and whether a trial was run for it."""
        subject, ran = self._trials.shown(source, self.subject, self.oracle.wants, cancelled)
        base, ran_base = self._base(source, subject, cancelled)
        return Evidence(subject, base, self._first), ran or ran_base

    def _base(
        self, source: str, subject: Observation, cancelled: threading.Event | None
    ) -> tuple[Observation | None, bool]:
        if self.base is None or not self.oracle.needs_base(subject):
            return None, False
        return self._trials.shown(source, self.base, self.oracle.wants, cancelled)

    def _learn_bounds(self, source: str) -> None:
        """Where the oracle takes its limits from a good run, that run goes first."""
        if not isinstance(self.oracle, Bounding) or self.base is None:
            return
        bounds = self.oracle.bounds(self._trials.shown(source, self.base, self.oracle.wants)[0])
        if bounds is None:
            return
        self._trials.bound(bounds.seconds, bounds.memory)

    def _settings(self, evidence: Evidence) -> Iterator[tuple[Setting, Observation]]:
        yield self.subject, evidence.subject
        if self.base is not None and evidence.base is not None:
            yield self.base, evidence.base

    def _broken(self, evidence: Evidence) -> bool:
        return any(seen.outcome is Outcome.BROKEN for _, seen in self._settings(evidence))


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
