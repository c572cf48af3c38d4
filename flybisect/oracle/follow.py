"""`--figure`: a reduction that follows one figure's difference in place of the oracle's own condition. Pure.

The oracle says what the symptom is. Once the unreduced script has run, the figure is known, and so is how
much of its difference has to stay (`Difference.condition`, with numbers).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flybisect.errors import UserError
from flybisect.observation import Answer, Observation, Verdict, Want
from flybisect.oracle.differences import (
    Difference,
    FigureKind,
    checked_figure,
    difference,
    differences,
    steadiest,
)
from flybisect.oracle.figure import over
from flybisect.oracle.plugin import Evidence, Margin, Options, Oracle, WrappingOracle

AUTO = "auto"
"""As a figure's name: the steadiest one, where there is one."""
FOLLOWED = "isa"
"""The oracle that judges by any figure. `--oracle isa --when CONDITION` is the same bug."""


def following(oracle: Oracle, figure: str | None, options: Options) -> Oracle:
    """The oracle for candidates of a reduction that follows `figure`: `auto`, a figure's name, or None for
    the oracle as it is. `options`: what it was built from. Raises UserError if they do not go together."""
    if figure is None:
        return oracle
    if not options.compares:
        raise UserError(
            f"--figure {figure} follows the difference from a baseline; give --against-args, "
            "--against-flydsl or --against-arch"
        )
    for name, value in (("when", options.when), ("pattern", options.pattern), ("command", options.command)):
        if value is not None:
            raise UserError(f"--figure and --{name} both say what a reduction follows; give one of them")
    return ToFollow(oracle, AUTO if figure.strip() == AUTO else checked_figure(figure))


def sentence(oracle: Oracle) -> str:
    """What a reduction for which a figure was asked follows, once the unreduced script has run."""
    if isinstance(oracle, Following):
        return oracle.why
    if oracle.condition is None:
        return f"the oracle {oracle.name} judges by no figure, so none is followed"
    return "no figure differs clearly without register pressure, so the oracle's own condition is followed"


def with_all_figures(oracle: Oracle) -> Oracle:
    """The same oracle; if it may judge figures, its probes yield all of them."""
    return AllFigures(oracle) if oracle.provisional or oracle.condition is not None else oracle


class AllFigures(WrappingOracle):
    """Wants the assembly, whether the wrapped oracle needs it or not."""

    def __init__(self, oracle: Oracle) -> None:
        super().__init__(oracle)
        self.wants = oracle.wants | {Want.ASSEMBLY}


@dataclass(frozen=True)
class Choice:
    """Which figure a reduction follows."""

    difference: Difference | None
    """None where none is fit to follow."""
    why: str
    """One sentence for a reader."""


def choose(figure: str, first: Evidence) -> Choice:
    """By what the unreduced script shows."""
    if figure != AUTO:
        found = difference(figure, first)
        if found is None:
            return Choice(None, f"{figure} was not measured on both sides")
        if found.this == found.base:
            return Choice(None, f"{figure} does not differ from the baseline's: {found.this}")
        return Choice(found, _followed(found))
    known = differences(first)
    found = steadiest(known)
    if found is None:
        return Choice(None, "no figure differs clearly without register pressure")
    largest = known[0]
    by_pressure = largest.kind is FigureKind.PRESSURE
    beside = f"; {largest.figure}, which differs most, depends on register pressure" if by_pressure else ""
    return Choice(found, _followed(found) + beside)


def _followed(found: Difference) -> str:
    return f"{found.figure} is followed: {found.this}, and {found.base} in the baseline"


class ToFollow(WrappingOracle):
    """Before the unreduced script has run: the wrapped oracle finds the bug, then a figure is followed."""

    def __init__(self, oracle: Oracle, figure: str) -> None:
        super().__init__(oracle)
        self.figure = figure
        self.wants = oracle.wants | {Want.ASSEMBLY}
        self.condition = None
        self.provisional = True

    @property
    def interesting_when_empty(self) -> bool:
        return False

    def needs_baseline(self, subject: Observation) -> bool:
        return bool(subject.kernels) or self.oracle.needs_baseline(subject)

    def specialized(self, first: Evidence) -> Oracle:
        own = self.oracle.specialized(first)
        found = own.judge(first).interesting
        by_failure = own.condition is None and (found or not self.oracle.provisional)
        unseen = self.figure == AUTO and not found and not self.oracle.provisional
        if by_failure or unseen or not first.subject.kernels:
            return own
        choice = choose(self.figure, first)
        if choice.difference is not None:
            return Following(own, choice.difference, choice.why)
        return own if self.figure == AUTO else NoDifference(own, choice.why)

    def judge(self, evidence: Evidence) -> Verdict:
        return self.specialized(evidence.first or evidence).judge(evidence)


class Following(WrappingOracle):
    """Interesting: enough of one figure's difference is left. `symptom` is the oracle that found the bug."""

    def __init__(self, symptom: Oracle, found: Difference, why: str) -> None:
        super().__init__(over(FOLLOWED, found.condition, found.condition))
        self.name = symptom.name
        self.symptom = symptom
        self.difference = found
        self.why = why

    def margins(self, evidence: Evidence) -> Mapping[str, Margin]:
        return {**self.symptom.margins(evidence), **self.oracle.margins(evidence)}


class NoDifference(WrappingOracle):
    """The figure to follow does not differ."""

    def __init__(self, oracle: Oracle, why: str) -> None:
        super().__init__(oracle)
        self.why = why

    def judge(self, evidence: Evidence) -> Verdict:
        verdict = self.oracle.judge(evidence)
        if verdict.answer is Answer.UNRESOLVED:
            return verdict
        return Verdict(Answer.UNINTERESTING, None, verdict.metrics, self.why)
