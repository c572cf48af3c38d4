"""One script under many releases: the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from flybisect.bisecting.sides import Measure
from flybisect.bisecting.tried import Tried
from flybisect.joined import named
from flybisect.observation import Answer, Signature, Verdict
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


@dataclass(frozen=True)
class Change:
    """Two neighbours that do not show the same."""

    before: Tried
    at: Tried
    same_bug: bool
    """Only the words of the failure differ."""


def changes(rows: Sequence[Tried], same_as: Sequence[str] = ()) -> list[Change]:
    """Neighbours whose failures differ, in more than their words or in those alone, or whose figures do.

    What `same_as` names is one bug, and so is the failure of the first release that has it.
    """
    first = next((row.failure for row in rows if row.side is Side.BAD), None) if same_as else None

    def bug(row: Tried) -> Signature | None:
        return first if named(row.failure, same_as) else row.failure

    found = []
    for one, other in pairwise(rows):
        same = bug(one) == bug(other) and _figures(one) == _figures(other)
        if not same or one.signature != other.signature:
            found.append(Change(one, other, same))
    return found


def _figures(row: Tried) -> tuple[object, ...]:
    metrics = {} if row.observation is None else row.observation.metrics()
    return row.side, tuple(sorted(metrics.items()))
