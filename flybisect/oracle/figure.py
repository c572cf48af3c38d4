"""Oracles over a figure of a kernel, for example its spills; `oracles/spills.py` builds one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from flybisect.errors import UserError
from flybisect.observation import (
    Answer,
    Kernel,
    Observation,
    Signature,
    Verdict,
    Want,
)
from flybisect.oracle.baseline import baseline_problem
from flybisect.oracle.conditions import Condition, MissingFigure, parse
from flybisect.oracle.degenerate import held_by_the_same, held_when_empty, without_a_difference
from flybisect.oracle.margins import half_stays, with_margins
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
        if holds and (same := without_a_difference(self.parsed, evidence)) is not None:
            return Verdict(Answer.UNINTERESTING, seen, figures, same)
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

    @property
    def interesting_when_empty(self) -> bool:
        return not self.parsed.needs_baseline and held_when_empty(self.parsed)

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
        _checked_comparison(parse(text), options.compares)
        if options.when is None:
            return over(name, text, "")
        return over(name, with_margins(text), text.strip())

    return Plugin(name, summary, build, metric)


def over(name: str, condition: str, signature: str) -> FigureOracle:
    """The oracle over a condition. `signature`: the text that identifies its bug, empty for an oracle's own
    condition."""
    parsed = parse(condition, longest=None)
    wants = frozenset({Want.ASSEMBLY}) if parsed.needs_assembly else frozenset[Want]()
    return FigureOracle(name, parsed, Signature(name, signature), wants, parsed.text)


def empty_note(oracle: Oracle) -> str:
    """One sentence about an oracle to which an empty kernel is interesting."""
    return (
        f"the condition {oracle.condition!r} also holds for a kernel without a body, so a reduction would "
        "end there; require something that has to stay as well, for example 'count(\"ds_read*\") > 0'"
    )


def rise_condition(figure: str) -> str:
    """The default condition of an oracle over `figure` with a baseline.

    The figure exceeds the baseline's by at least half of the difference that the unreduced script showed, so
    that a small rest with another cause does not count. The baseline's figure must not get worse.
    """
    return f"{figure} > base.{figure} and {half_stays(figure)} and base.{figure} <= first.base.{figure}"


def _checked_comparison(condition: Condition, compares: bool) -> None:
    """Raises UserError for a condition with a baseline that there is not, or that needs no difference."""
    if not condition.needs_baseline:
        return
    if not compares:
        raise UserError(
            f"the condition {condition.text!r} reads base, but there is no baseline; "
            "give --against-args, --against-flydsl or --against-arch"
        )
    if (figures := held_by_the_same(condition)) is not None:
        raise UserError(
            f"the condition {condition.text!r} also holds if the case and its baseline are the same "
            f"(with {figures}); require a difference, for example 'vgprs >= base.vgprs + 8'"
        )


def fails_anew(seen: Signature | None, first: Evidence | None) -> bool:
    """True if the script fails in a way that the unreduced one does not."""
    return first is not None and seen is not None and seen != classify(first.subject)


def _figures(condition: Condition, evidence: Evidence) -> dict[str, float]:
    figures: dict[str, float] = dict(evidence.subject.metrics())
    if evidence.baseline is not None:
        figures |= {f"base.{name}": value for name, value in evidence.baseline.metrics().items()}
    return figures | condition.figures(evidence)
