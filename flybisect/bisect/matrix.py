"""One script under many releases: the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from flybisect.bisect.endpoints import EndpointOracle
from flybisect.bisect.test_record import TestRecord
from flybisect.observation import Answer, Signature, Verdict
from flybisect.oracle.plugin import Evidence
from flybisect.oracle.same_as import is_named
from flybisect.oracle.signatures import UNJUDGEABLE, classify
from flybisect.search.bisect import Side
from flybisect.toolchain.model import Toolchain

SIDES = {
    Answer.INTERESTING: Side.BAD,
    Answer.UNINTERESTING: Side.GOOD,
    Answer.UNRESOLVED: Side.SKIP,
}


def row(
    at: int, version: str, toolchain: Toolchain, evidence: Evidence, measure: EndpointOracle | None
) -> TestRecord:
    """A release by itself: pinned to no signature, compared with no other release."""
    verdict = verdict_of(evidence, measure)
    side = SIDES[verdict.answer]
    return TestRecord(at, version, side, verdict, evidence.subject, toolchain, f"the release {version}")


def verdict_of(evidence: Evidence, measure: EndpointOracle | None) -> Verdict:
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

    before: TestRecord
    at: TestRecord
    same_bug: bool
    """Only the words of the failure differ."""


def changes(rows: Sequence[TestRecord], same_as: Sequence[str] = ()) -> list[Change]:
    """Neighbours whose failures differ, in more than their words or in those alone, or whose figures do.

    A release that was not tried is no neighbour. What `same_as` names is one bug, and so is the failure of
    the first release that has it.
    """
    first = next((row.failure for row in rows if row.side is Side.BAD), None) if same_as else None

    def bug(row: TestRecord) -> Signature | None:
        return first if is_named(row.failure, same_as) else row.failure

    found = []
    for one, other in pairwise(row for row in rows if row.observation is not None):
        same = bug(one) == bug(other) and _figures(one) == _figures(other)
        if not same or one.signature != other.signature:
            found.append(Change(one, other, same))
    return found


def _figures(row: TestRecord) -> tuple[object, ...]:
    metrics = {} if row.observation is None else row.observation.metrics()
    return row.side, tuple(sorted(metrics.items()))


@dataclass(frozen=True)
class Matrix:
    """What `flybisect matrix` shows."""

    script: Path
    rows: tuple[TestRecord, ...]
    """Of the releases, oldest first."""
    same_as: tuple[str, ...] = ()
    """Texts that count as one bug."""
    missing_variables: tuple[str, ...] = ()
    """That the script reads, and that are set here but not in trials."""

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "script": str(self.script),
            "releases": [{"version": row.name, **row.to_dict()} for row in self.rows],
            "changes": [
                {
                    "after": change.before.name,
                    "at": change.at.name,
                    "from": change.before.signature,
                    "to": change.at.signature,
                    "same_bug": change.same_bug,
                }
                for change in changes(self.rows, self.same_as)
            ],
            "missing_variables": list(self.missing_variables),
        }
