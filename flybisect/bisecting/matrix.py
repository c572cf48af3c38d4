"""One script under many releases: the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from flybisect.bisecting.sides import Measure
from flybisect.bisecting.tried import Tried
from flybisect.observation import Answer, Verdict
from flybisect.oracle import Evidence
from flybisect.search.bisect import Side
from flybisect.signature import UNJUDGEABLE, classify
from flybisect.toolchain.model import Toolchain

SIDES = {
    Answer.INTERESTING: Side.BAD,
    Answer.UNINTERESTING: Side.GOOD,
    Answer.UNRESOLVED: Side.SKIP,
}


def row(at: int, version: str, toolchain: Toolchain, evidence: Evidence, measure: Measure | None) -> Tried:
    """A release by itself: pinned to no signature, compared with no other release."""
    verdict = verdict_of(evidence, measure)
    side = SIDES[verdict.answer]
    return Tried(at, version, side, verdict, evidence.subject, toolchain, f"the release {version}")


def verdict_of(evidence: Evidence, measure: Measure | None) -> Verdict:
    """By the oracle's own word. Without an oracle, or one without a bound: whether anything failed."""
    seen = classify(evidence.subject)
    if seen is not None and seen.kind in UNJUDGEABLE:
        return Verdict(Answer.UNRESOLVED, seen, why=f"cannot be judged: {seen}")
    oracle = None if measure is None else measure.own()
    if oracle is not None:
        return oracle.judge(evidence)
    if seen is not None:
        return Verdict(Answer.INTERESTING, seen, why=str(seen))
    return Verdict(Answer.UNINTERESTING, why="no failure")


def changes(rows: Sequence[Tried]) -> list[tuple[Tried, Tried]]:
    """Neighbours whose failures differ, or whose figures do."""
    return [(one, other) for one, other in pairwise(rows) if _shown(one) != _shown(other)]


def _shown(row: Tried) -> tuple[object, ...]:
    metrics = {} if row.observation is None else row.observation.metrics()
    return row.side, row.signature, tuple(sorted(metrics.items()))
