"""From what two endpoints show to a rule that says on which side anything between them is. Pure.

The endpoint that shows the bug pins its signature. Whatever shows the same is BAD, what shows no failure is
GOOD, and all else is SKIP: an API that is not there yet, another failure, no kernel to measure. An oracle
over a figure needs no threshold: where its own condition does not separate the endpoints, half way between
their figures does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from flybisect.errors import UserError
from flybisect.observation import Answer, Outcome, Signature, Verdict
from flybisect.oracle import registry as plugins
from flybisect.oracle.blame import COMPILING, compiler_failure
from flybisect.oracle.plugin import (
    Evidence,
    Options,
    Oracle,
    Plugin,
)
from flybisect.oracle.same_as import counting_as_same
from flybisect.oracle.signatures import classify
from flybisect.search.bisect import Side


class Find(str, Enum):
    """What is looked for."""

    BUG = "bug"
    """Where it appeared: the older endpoint is good."""
    FIX = "fix"
    """Where it was fixed: the older endpoint is bad."""


@dataclass(frozen=True)
class EndpointOracle:
    """An oracle before it is known what the endpoints show."""

    plugin: Plugin
    options: Options
    wanted: Signature | None = None
    """Of the bug that is studied, where that is known: another failure is not it. None: the
    endpoint that shows one pins it."""

    def observer(self) -> Oracle:
        """What says which observations are needed. Raises UserError where the options make no sense."""
        return self.own() or self._over("> 0")

    def own(self) -> Oracle | None:
        """By its own condition, or the user's; None where it needs a threshold and has none."""
        if self.plugin.metric is None or self.options.when is not None:
            return self.plugin.build(self.options)
        try:
            return self.plugin.build(self.options)
        except UserError:
            return None

    def halfway(self, older: Evidence, newer: Evidence) -> tuple[Oracle, str] | None:
        """An oracle whose bound lies half way between the endpoints' figures, and that bound as text. None
        where they are the same, and where the case has a baseline, which says what is too many."""
        figures = self.figure(older), self.figure(newer)
        if self.options.when is not None or self.options.compares:
            return None
        if None in figures or figures[0] == figures[1]:
            return None
        bound = sum(figure for figure in figures if figure is not None) / 2
        text = f"{self.plugin.metric} > {bound:g}"
        return self._over(f"> {bound:g}"), text

    def settled(self, older: Evidence, newer: Evidence) -> EndpointOracle:
        """With an oracle over a figure, where no threshold was given and neither endpoint fails."""
        own = self.own()
        if own is None or not own.provisional:
            return self
        if any(compiler_failure(evidence.subject) is not None for evidence in (older, newer)):
            return self
        spills, vgprs = (
            replace(self, plugin=counting_as_same(plugins.load(name), self.plugin.same_as))
            for name in ("spills", "vgprs")
        )
        return spills if spills.figure(older) != spills.figure(newer) else vgprs

    def figure(self, evidence: Evidence) -> float | None:
        """What it is about, measured; None where it is about no figure, or nothing was compiled."""
        if self.plugin.metric is None:
            return None
        return evidence.subject.metrics().get(self.plugin.metric)

    def usable(self, evidence: Evidence) -> bool:
        """True where something can be an endpoint: judged, and without a failure of another kind."""
        if self.plugin.metric is not None and self.options.when is None and not self.options.compares:
            return self.figure(evidence) is not None
        verdict = self.observer().judge(evidence)
        if verdict.answer is Answer.UNRESOLVED:
            return False
        if verdict.interesting:
            return self.is_wanted(verdict)
        clean = verdict.signature is None or compiler_failure(evidence.subject) is None
        return clean or self.plugin.metric is not None

    def is_wanted(self, verdict: Verdict) -> bool:
        """Whether an interesting verdict is about the bug that is studied."""
        return self.wanted is None or verdict.signature == self.wanted

    def _over(self, bound: str) -> Oracle:
        return self.plugin.build(replace(self.options, when=f"{self.plugin.metric} {bound}"))


@dataclass(frozen=True)
class EndpointRule:
    """Says on which side something is."""

    oracle: Oracle
    first: Evidence
    """Of the endpoint that shows the bug."""
    signature: Signature | None
    """The pinned one."""
    find: Find
    bound: str | None = None
    """The condition that the endpoints gave, as `vgprs > 27`."""

    def judge(self, evidence: Evidence) -> tuple[Side, Verdict]:
        """The side, and the verdict with a reason for a reader."""
        if evidence.subject.outcome is Outcome.BROKEN:
            why = f"it could not be used: {evidence.subject.note}"
            return Side.SKIP, Verdict(Answer.UNRESOLVED, why=why)
        verdict = self.oracle.judge(replace(evidence, first=self.first))
        if verdict.answer is Answer.UNRESOLVED:
            return Side.SKIP, verdict
        if verdict.interesting:
            if verdict.signature == self.signature:
                return Side.BAD, verdict
            why = f"another failure: {verdict.signature}"
            return Side.SKIP, replace(verdict, answer=Answer.UNINTERESTING, why=why)
        if verdict.signature is None and self._is_of_compiles and not evidence.subject.kernels:
            return Side.SKIP, replace(verdict, answer=Answer.UNRESOLVED, why="it compiles no kernel")
        own = (None, self.signature, classify(self.first.subject))
        if verdict.signature in own:
            return Side.GOOD, verdict
        clean = compiler_failure(evidence.subject) is None and verdict.signature == classify(evidence.subject)
        return (Side.GOOD if clean else Side.SKIP), verdict

    @property
    def _is_of_compiles(self) -> bool:
        """True where the bug shows while something is compiled."""
        first = self.first.subject
        return first.outcome is not Outcome.OK and first.stage in COMPILING


class EndpointsAlike(Exception):
    """The endpoints do not differ, or one can't be judged: one sentence about what they show."""


def rule_for(measure: EndpointOracle, older: Evidence, newer: Evidence) -> EndpointRule:
    """Raises EndpointsAlike where nothing separates them."""
    measure = measure.settled(older, newer)
    own = measure.own()
    # What is studied counts as the bug by the oracle's own condition: half of it is another question.
    halfway = measure.halfway(older, newer) if measure.wanted is None else None
    tried = [(own, None)] if own is not None else []
    for oracle, bound in [*tried, *([halfway] if halfway is not None else [])]:
        for find, bad, good in ((Find.BUG, newer, older), (Find.FIX, older, newer)):
            verdict = oracle.judge(bad)
            if not verdict.interesting or not measure.is_wanted(verdict):
                continue
            rule = EndpointRule(oracle, bad, verdict.signature, find, bound)
            if rule.judge(good)[0] is Side.GOOD:
                return rule
    raise EndpointsAlike(_alike(measure, older, newer))


def _alike(measure: EndpointOracle, older: Evidence, newer: Evidence) -> str:
    shown = [shows(measure, evidence) for evidence in (older, newer)]
    if shown[0] == shown[1]:
        return f"both endpoints are alike: {shown[0]}"
    return f"the endpoints are not one good and one bad: the older {shown[0]}, the newer {shown[1]}"


def shows(measure: EndpointOracle, evidence: Evidence) -> str:
    """What it shows to the oracle, for a sentence."""
    failure = classify(evidence.subject)
    if evidence.subject.outcome is Outcome.BROKEN:
        return f"cannot be used ({evidence.subject.note})"
    verdict = None if evidence.baseline is None else measure.observer().judge(evidence)
    if verdict is not None and verdict.answer is Answer.UNRESOLVED:
        return f"cannot be compared ({verdict.why})"
    if failure is not None:
        return f"shows {failure}"
    figure = measure.figure(evidence)
    if figure is not None:
        base = (
            None if evidence.baseline is None else evidence.baseline.metrics().get(str(measure.plugin.metric))
        )
        beside = "" if base is None else f", and the baseline {base}"
        return f"has {figure:g} {measure.plugin.metric}{beside}"
    return "shows no failure" if evidence.subject.kernels else "compiles no kernel and shows no failure"
