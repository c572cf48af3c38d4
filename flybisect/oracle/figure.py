"""Oracles over a figure of a kernel, for example its spills; `oracles/spills.py` builds one."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from flybisect.errors import UserError
from flybisect.observation import (
    METRICS,
    Answer,
    Kernel,
    Observation,
    Outcome,
    Signature,
    Stage,
    Verdict,
    Want,
)
from flybisect.oracle.baseline import baseline_problem
from flybisect.oracle.conditions import Condition, MissingFigure, parse
from flybisect.oracle.plugin import (
    Evidence,
    Margin,
    Options,
    Oracle,
    Plugin,
)
from flybisect.oracle.signatures import classify


@dataclass(frozen=True)
class FigureOracle(Oracle):
    """Interesting: the condition holds."""

    name: str
    parsed: Condition
    signature: Signature
    wants: frozenset[Want]
    condition: str

    def needs_baseline(self, subject: Observation) -> bool:
        """True if any kernel leaves the condition undecided: which one is compared is not known yet."""
        return self.parsed.needs_baseline and any(self._open(subject, kernel) for kernel in subject.kernels)

    def judge(self, evidence: Evidence) -> Verdict:
        figures = _figures(self.parsed, evidence)
        seen = classify(evidence.subject)
        if not evidence.subject.kernels:
            why = "no kernel was compiled" + (f": {seen}" if seen is not None else "")
            return Verdict(Answer.UNRESOLVED, seen, figures, why)
        if (problem := baseline_problem(evidence)) is not None:
            return Verdict(Answer.UNRESOLVED, seen, figures, problem)
        try:
            holds = self.parsed.holds(evidence)
        except MissingFigure as missing:
            return Verdict(Answer.UNRESOLVED, seen, figures, str(missing))
        if holds and not fails_anew(seen, evidence.first):
            return Verdict(Answer.INTERESTING, self.signature, figures, f"{self.condition} holds")
        why = f"another failure: {seen}" if holds else f"{self.condition} does not hold"
        return Verdict(Answer.UNINTERESTING, seen, figures, why)

    def margins(self, evidence: Evidence) -> Mapping[str, Margin]:
        now = self.parsed.figures(evidence)
        start = self.parsed.figures(evidence.first or evidence)
        names = [name for name in now if {name, f"base.{name}"} <= now.keys() & start.keys()]
        return {
            name: Margin(start[name] - start[f"base.{name}"], now[name] - now[f"base.{name}"])
            for name in names
        }

    def _open(self, subject: Observation, kernel: Kernel) -> bool:
        try:
            self.parsed.holds(Evidence(replace(subject, kernels=(kernel,))))
        except MissingFigure:
            return True
        return False


def figure_plugin(
    name: str,
    metric: str | None,
    summary: str,
    *,
    without_baseline: str | None,
    with_baseline: str,
    example: str,
) -> Plugin:
    """The plugin of an oracle over `metric` (one of `flybisect.observation.METRICS`; None: any).

    `without_baseline` and `with_baseline` are its default conditions; `--when` overrides both. If
    `without_baseline` is None, building the oracle without a baseline and without `--when` raises UserError.
    Its message shows `example` as a condition to give.
    """

    def build(options: Options) -> FigureOracle:
        own = with_baseline if options.compares else without_baseline
        text = own if options.when is None else options.when
        if text is None:
            raise UserError(
                f"the oracle {name} needs a threshold or a baseline; give --when '{example}', or one of "
                "--against-args, --against-flydsl and --against-arch"
            )
        condition = parse(text)
        if condition.needs_baseline and not options.compares:
            raise UserError(
                f"the condition {condition.text!r} reads base, but there is no baseline; "
                "give --against-args, --against-flydsl or --against-arch"
            )
        if condition.needs_baseline and (figures := _held_by_the_same(condition)) is not None:
            raise UserError(
                f"the condition {condition.text!r} also holds if the case and its baseline are the same "
                f"(with {figures:g} for every figure); require a difference, for example "
                "'vgprs >= base.vgprs + 8'"
            )
        wants = frozenset({Want.ASSEMBLY}) if condition.needs_assembly else frozenset[Want]()
        signature = Signature(name, condition.text if options.when else "")
        return FigureOracle(name, condition, signature, wants, condition.text)

    return Plugin(name, summary, build, metric)


def rise_condition(figure: str) -> str:
    """The default condition of an oracle over `figure` with a baseline.

    The figure exceeds the baseline's by at least half of the difference that the unreduced script showed, so
    that a small rest with another cause does not count. The baseline's figure must not get worse.
    """
    return (
        f"{figure} > base.{figure} "
        f"and {figure} - base.{figure} >= (first.{figure} - first.base.{figure}) / 2 "
        f"and base.{figure} <= first.base.{figure}"
    )


def _held_by_the_same(condition: Condition) -> float | None:
    """A value for every figure with which the condition holds although case and baseline are the same."""
    constants = [node.value for node in ast.walk(ast.parse(condition.text)) if isinstance(node, ast.Constant)]
    numbers: list[float] = [abs(each) for each in constants if isinstance(each, (int, float))]
    globs = [each for each in constants if isinstance(each, str)]
    tried: set[float] = {0, *(2**power for power in range(11)), *numbers, *(each + 1 for each in numbers)}
    for figure in sorted(tried):
        every: dict[str, Any] = dict.fromkeys(METRICS, int(figure))
        counted = dict.fromkeys(globs, int(figure))
        kernel = Kernel("k", **every, instructions={"": 0, **counted}, bases=counted)
        seen = Observation(Outcome.OK, Stage.DONE, "", "", kernels=(kernel,))
        with suppress(MissingFigure):
            if condition.holds(Evidence(seen, seen)):
                return figure
    return None


def fails_anew(seen: Signature | None, first: Evidence | None) -> bool:
    """True if the script fails in a way that the unreduced one does not."""
    return first is not None and seen is not None and seen != classify(first.subject)


def _figures(condition: Condition, evidence: Evidence) -> dict[str, float]:
    figures: dict[str, float] = dict(evidence.subject.metrics())
    if evidence.baseline is not None:
        figures |= {f"base.{name}": value for name, value in evidence.baseline.metrics().items()}
    return figures | condition.figures(evidence)
