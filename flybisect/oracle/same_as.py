"""`--same-as`: failures with other texts that count as the same bug.

One bug may make a compiler fail in different places from release to release. The wrapped oracle still defines
the bug. A failure that the user names as the same bug gets its signature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flybisect.observation import Answer, Observation, Signature, Verdict
from flybisect.oracle.baseline import baseline_problem
from flybisect.oracle.normalize import one_line
from flybisect.oracle.plugin import (
    Evidence,
    Options,
    Oracle,
    Plugin,
    WrappingOracle,
)
from flybisect.oracle.signatures import UNJUDGEABLE, classify


def counting_as_same(plugin: Plugin, same_as: Sequence[str]) -> Plugin:
    """The plugin; its oracles treat failures that match `same_as` as the bug under study."""
    if not same_as:
        return plugin
    texts = tuple(one_line(text) for text in same_as)

    def build(options: Options) -> SameAs:
        return SameAs(plugin.build(options), texts)

    return replace(plugin, build=build, same_as=texts)


def is_named(signature: Signature | None, texts: Sequence[str]) -> bool:
    """True if one of the texts is the signature, its kind, or a part of its text."""
    if signature is None or signature.kind in UNJUDGEABLE:
        return False
    written = (one_line(str(signature)), f"{signature.kind}: {signature.text}")
    return any(text == signature.kind or any(text in each for each in written) for text in texts)


class SameAs(WrappingOracle):
    """Interesting: the wrapped oracle says so, or the user named the failure as the same bug."""

    def __init__(self, oracle: Oracle, texts: tuple[str, ...]) -> None:
        super().__init__(oracle)
        self.texts = texts

    def needs_baseline(self, subject: Observation) -> bool:
        return self.oracle.needs_baseline(subject) or is_named(classify(subject), self.texts)

    def specialized(self, first: Evidence) -> Oracle:
        return SameAs(self.oracle.specialized(first), self.texts)

    def judge(self, evidence: Evidence) -> Verdict:
        verdict, baseline = self.oracle.judge(evidence), evidence.baseline
        found = verdict
        if baseline is not None and not verdict.interesting:
            found = self.oracle.judge(replace(evidence, baseline=None))
        seen = found.signature if found.interesting else classify(evidence.subject)
        by_name = is_named(seen, self.texts)
        if seen is None or not (found.interesting or by_name):
            return verdict
        pinned = None if evidence.first is None else self._pinned(evidence.first, by_name)
        joins = pinned is not None and seen != pinned
        signature = Signature(pinned.kind, pinned.text, detail=str(seen)) if pinned and joins else seen
        if baseline is not None and self._shows(baseline, by_name):
            why = f"{seen}, and the same bug in the baseline: {classify(baseline)}"
            return replace(verdict, answer=Answer.UNINTERESTING, signature=signature, why=why)
        if not verdict.interesting and not by_name:
            return verdict
        if (problem := baseline_problem(evidence)) is not None:
            return replace(verdict, answer=Answer.UNRESOLVED, signature=signature, why=problem)
        why = verdict.why if verdict.interesting else f"{seen}, named as the same bug"
        why = f"{seen}, named as the same bug as {pinned}" if joins else why
        return replace(verdict, answer=Answer.INTERESTING, signature=signature, why=why)

    def _shows(self, baseline: Observation, also_by_oracle: bool) -> bool:
        """True if the baseline has the bug: with a text that the user named, or by the wrapped oracle."""
        return is_named(classify(baseline), self.texts) or (
            also_by_oracle and self.oracle.judge(Evidence(baseline)).interesting
        )

    def _pinned(self, first: Evidence, by_name: bool) -> Signature | None:
        """The signature that a named failure gets: that of the unreduced script.

        None if the failure keeps its own: the wrapped oracle found it, and found the pinned one as well.
        """
        own = self.oracle.judge(replace(first, first=None))
        if own.interesting:
            return own.signature if by_name else None
        return classify(first.subject)
