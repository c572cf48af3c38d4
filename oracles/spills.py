"""Spilled vector registers, or another condition over a kernel's figures."""

from __future__ import annotations

from dataclasses import dataclass

from flybisect.errors import UserError
from flybisect.expression import Condition, Missing, parse
from flybisect.observation import Answer, Observation, Signature, Verdict, Want
from flybisect.oracle import Evidence, Options, Plugin
from flybisect.signature import classify

ANY = "vgpr_spills > 0"
"""Without a base."""
RISE = "vgpr_spills > 0 and vgpr_spills > base.vgpr_spills and base.vgpr_spills <= first.base.vgpr_spills"
"""With one. The base has to stay as good as the unreduced script's, or else a candidate that spills
everywhere passes for one that spills more. The first part spares the base's compile."""


@dataclass(frozen=True)
class Spills:
    """Interesting: the condition holds."""

    condition: Condition
    signature: Signature
    name: str = "spills"

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
        if holds and not _fails_anew(seen, evidence.first):
            return Verdict(Answer.INTERESTING, self.signature, figures, f"{self.condition.text} holds")
        why = f"it fails as well: {seen}" if holds else f"{self.condition.text} does not hold"
        return Verdict(Answer.UNINTERESTING, seen, figures, why)


def _fails_anew(seen: Signature | None, first: Evidence | None) -> bool:
    """True where the script fails beside the spills, in a way that the unreduced one does not."""
    return first is not None and seen is not None and seen != classify(first.subject)


def _figures(condition: Condition, evidence: Evidence) -> dict[str, float]:
    figures: dict[str, float] = dict(evidence.subject.metrics())
    if evidence.base is not None:
        figures |= {f"base.{name}": value for name, value in evidence.base.metrics().items()}
    return figures | condition.figures(evidence)


def _reason(missing: Missing, evidence: Evidence) -> str:
    failed = None if evidence.base is None else classify(evidence.base)
    return str(missing) if failed is None else f"{missing}; under the base: {failed}"


def build(options: Options) -> Spills:
    own = RISE if options.compares else ANY
    condition = parse(own if options.when is None else options.when)
    if condition.needs_base and not options.compares:
        raise UserError(
            f"the condition {condition.text!r} speaks of base, and there is nothing to compare with; "
            "give --against-args or --against-flydsl"
        )
    return Spills(condition, Signature("spills", condition.text if options.when else ""))


PLUGIN = Plugin("spills", "registers are spilled (any; more than the base's; or a --when condition)", build)
