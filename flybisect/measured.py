"""Oracles over one figure of a kernel, as its spills: what `oracles/spills.py` and its like are made of."""

from __future__ import annotations

from dataclasses import dataclass

from flybisect.errors import UserError
from flybisect.expression import Condition, Missing, parse
from flybisect.observation import Answer, Observation, Signature, Verdict, Want
from flybisect.oracle import Evidence, Options, Plugin
from flybisect.signature import classify


@dataclass(frozen=True)
class Measured:
    """Interesting: the condition holds."""

    name: str
    condition: Condition
    signature: Signature

    @property
    def wants(self) -> frozenset[Want]:
        return frozenset({Want.ASSEMBLY}) if self.condition.needs_assembly else frozenset()

    def needs_base(self, subject: Observation) -> bool:
        if not self.condition.needs_base or not subject.kernels:
            return False
        try:
            self.condition.holds(Evidence(subject))
        except Missing:
            return True
        return False

    def judge(self, evidence: Evidence) -> Verdict:
        figures = _figures(self.condition, evidence)
        seen = classify(evidence.subject)
        if not evidence.subject.kernels:
            why = "no kernel was compiled" if seen is None else f"no kernel was compiled: {seen}"
            return Verdict(Answer.UNRESOLVED, seen, figures, why)
        try:
            holds = self.condition.holds(evidence)
        except Missing as missing:
            return Verdict(Answer.UNRESOLVED, seen, figures, _reason(missing, evidence))
        if holds and not fails_anew(seen, evidence.first):
            return Verdict(Answer.INTERESTING, self.signature, figures, f"{self.condition.text} holds")
        why = f"it fails as well: {seen}" if holds else f"{self.condition.text} does not hold"
        return Verdict(Answer.UNINTERESTING, seen, figures, why)


def measured(
    name: str, metric: str | None, summary: str, *, alone: str | None, rise: str, example: str
) -> Plugin:
    """The plugin of an oracle over `metric` (one of `flybisect.observation.METRICS`; None: any).

    `alone` is its condition without a base, `rise` with one; a `--when` goes before both. Where `alone`
    is None, the oracle can't be built without a base or a `--when` (as `example`): UserError.
    """

    def build(options: Options) -> Measured:
        own = rise if options.compares else alone
        text = own if options.when is None else options.when
        if text is None:
            raise UserError(
                f"the oracle {name} alone does not know how many are too many; say it with "
                f"--when '{example}', or what to compare with "
                "(--against-args, --against-flydsl, --against-arch)"
            )
        condition = parse(text)
        if condition.needs_base and not options.compares:
            raise UserError(
                f"the condition {condition.text!r} speaks of base, and there is nothing to compare with; "
                "give --against-args, --against-flydsl or --against-arch"
            )
        return Measured(name, condition, Signature(name, condition.text if options.when else ""))

    return Plugin(name, summary, build, metric)


def fails_anew(seen: Signature | None, first: Evidence | None) -> bool:
    """True where the script fails, in a way that the unreduced one does not."""
    return first is not None and seen is not None and seen != classify(first.subject)


def _figures(condition: Condition, evidence: Evidence) -> dict[str, float]:
    figures: dict[str, float] = dict(evidence.subject.metrics())
    if evidence.base is not None:
        figures |= {f"base.{name}": value for name, value in evidence.base.metrics().items()}
    return figures | condition.figures(evidence)


def _reason(missing: Missing, evidence: Evidence) -> str:
    failed = None if evidence.base is None else classify(evidence.base)
    return str(missing) if failed is None else f"{missing}; under the base: {failed}"
