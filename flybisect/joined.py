"""`--same-as`: failures of other texts that count as the same bug.

A compiler may stumble over one bug in different places from release to release. The wrapped oracle
still says what the bug is; a failure that the user named as the same one takes its signature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flybisect.observation import Answer, Observation, Signature, Verdict, Want
from flybisect.oracle import Bounding, Bounds, Evidence, Options, Oracle, Plugin, Settling
from flybisect.signature import UNJUDGEABLE, classify
from flybisect.wording import one_line


def joined(plugin: Plugin, same_as: Sequence[str]) -> Plugin:
    """The plugin, whose oracles count failures that match `same_as` as the one they look for."""
    if not same_as:
        return plugin
    texts = tuple(one_line(text) for text in same_as)

    def build(options: Options) -> Joined:
        return Joined(plugin.build(options), texts)

    return replace(plugin, build=build)


def named(signature: Signature | None, texts: Sequence[str]) -> bool:
    """True where one of the texts is the signature, its kind, or a piece of how it is written."""
    if signature is None or signature.kind in UNJUDGEABLE:
        return False
    written = (one_line(str(signature)), f"{signature.kind}: {signature.text}")
    return any(text == signature.kind or any(text in each for each in written) for text in texts)


@dataclass(frozen=True)
class Joined:
    """Interesting: the oracle says so, or the failure is among those that the user named."""

    oracle: Oracle
    texts: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.oracle.name

    @property
    def wants(self) -> frozenset[Want]:
        return self.oracle.wants

    def needs_base(self, subject: Observation) -> bool:
        return self.oracle.needs_base(subject) or named(classify(subject), self.texts)

    def bounds(self, base: Observation) -> Bounds | None:
        return self.oracle.bounds(base) if isinstance(self.oracle, Bounding) else None

    def settled(self, first: Evidence) -> Oracle:
        if not isinstance(self.oracle, Settling):
            return self
        return Joined(self.oracle.settled(first), self.texts)

    def judge(self, evidence: Evidence) -> Verdict:
        verdict = self.oracle.judge(evidence)
        seen = verdict.signature if verdict.interesting else classify(evidence.subject)
        other = named(seen, self.texts)
        if seen is None or not (verdict.interesting or other):
            return verdict
        if evidence.base is not None and self._shows(evidence.base, other):
            why = f"{seen}, and the same bug under what it is compared with: {classify(evidence.base)}"
            return replace(verdict, answer=Answer.UNINTERESTING, signature=seen, why=why)
        pinned = None if evidence.first is None else self._pinned(evidence.first, other)
        if pinned is None or seen == pinned:
            why = verdict.why if verdict.interesting else f"{seen}, named as the same bug"
            return replace(verdict, answer=Answer.INTERESTING, signature=seen, why=why)
        same = Signature(pinned.kind, pinned.text, detail=str(seen))
        why = f"{seen}, named as the same bug as {pinned}"
        return replace(verdict, answer=Answer.INTERESTING, signature=same, why=why)

    def _shows(self, base: Observation, also_by_oracle: bool) -> bool:
        """True where the base has the bug: in words that the user named, or in those of the oracle."""
        return named(classify(base), self.texts) or (
            also_by_oracle and self.oracle.judge(Evidence(base)).interesting
        )

    def _pinned(self, first: Evidence, other: bool) -> Signature | None:
        """What a failure is joined to: all that are named are one bug, with what the oracle found first.

        None where it stays what it is: the oracle's own, when the oracle's own was pinned.
        """
        own = self.oracle.judge(replace(first, first=None))
        if own.interesting:
            return own.signature if other else None
        return classify(first.subject)
