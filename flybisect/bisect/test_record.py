"""The record of one test: a FlyDSL that was tried, and what it showed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from flybisect.observation import Answer, Observation, Signature, Verdict
from flybisect.oracle.signatures import classify
from flybisect.search.bisect import Side
from flybisect.search.flaky_bisection import UNSEEN, Tally
from flybisect.toolchain.model import Exactness, Toolchain


@dataclass(frozen=True)
class TestRecord:
    """One FlyDSL that was tried, or that is untestable."""

    at: int
    """Its place in the list that is searched."""
    name: str
    """A version, or a commit's hash."""
    side: Side
    verdict: Verdict
    observation: Observation | None = None
    toolchain: Toolchain | None = None
    way: str = ""
    """How it was obtained, in words."""
    tally: Tally = UNSEEN
    """Of all its runs; `observation` is of one that shows the bug, where any did."""
    pieces: tuple[TestRecord, ...] = ()
    """The crossed overlays that stand for it, of which it shows the first; see `combined`."""
    evidence: Exactness | None = None
    """What the verdict rests on, where that is more than the one toolchain."""

    @property
    def exactness(self) -> Exactness | None:
        """None where nothing was tried."""
        if self.evidence is not None or self.toolchain is None:
            return self.evidence
        return self.toolchain.exactness

    @property
    def runs(self) -> int:
        """How often it was run."""
        return 0 if self.observation is None else max(1, self.tally.runs)

    @property
    def toolchains(self) -> list[Toolchain]:
        """All that the verdict rests on."""
        return [each.toolchain for each in self.pieces or (self,) if each.toolchain is not None]

    @property
    def failure(self) -> Signature | None:
        """None where nothing failed, or nothing was tried."""
        if self.observation is None:
            return None
        return classify(self.observation) or self.verdict.signature

    @property
    def signature(self) -> str | None:
        """Of the failure, as it was worded."""
        return None if self.failure is None else str(self.failure)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        seen = self.observation
        return {
            "name": self.name,
            "side": self.side.value,
            "verdict": self.verdict.answer.value,
            "why": self.verdict.why,
            "signature": self.signature,
            "metrics": {} if seen is None else seen.metrics(),
            "way": self.way,
            "exactness": None if self.exactness is None else self.exactness.value,
            "toolchain": None if self.toolchain is None else self.toolchain.key,
            "flydsl": None if seen is None else seen.flydsl,
            "seconds": None if seen is None else round(seen.seconds, 3),
            "runs": self.runs,
            "shown": self.tally.bad if self.tally.runs else int(self.side is Side.BAD),
        }


def untestable(at: int, name: str, why: str, way: str = "") -> TestRecord:
    """Of one that can't be judged."""
    return TestRecord(at, name, Side.SKIP, Verdict(Answer.UNRESOLVED, why=why), way=way)


def agreed(sides: Sequence[Side]) -> Side:
    """What all of them say; SKIP where they do not say the same."""
    return sides[0] if len(set(sides)) == 1 else Side.SKIP


def combined(name: str, pieces: Sequence[TestRecord], way: str, evidence: Exactness) -> TestRecord:
    """One test of the commit `name` by overlays that have to agree, or of which the last one was skipped."""
    first = pieces[0]
    sides = [piece.side for piece in pieces]
    if agreed(sides) is not Side.SKIP:
        labelled = tuple(replace(piece, evidence=evidence) for piece in pieces)
        return replace(first, name=name, way=way, pieces=labelled, evidence=evidence)
    skipped = [piece for piece in pieces if piece.side is Side.SKIP]
    if skipped:
        why = f"{skipped[0].way}: {skipped[0].signature or skipped[0].verdict.why}"
    else:
        why = "; ".join(f"{piece.way}: {piece.side.value}" for piece in pieces)
    verdict = Verdict(Answer.UNRESOLVED, metrics=first.verdict.metrics, why=why)
    unlabelled = tuple(replace(piece, evidence=None) for piece in pieces)
    return replace(
        first, name=name, side=Side.SKIP, verdict=verdict, way=way, pieces=unlabelled, evidence=evidence
    )


def in_order(tried: Iterable[TestRecord]) -> list[TestRecord]:
    """By their place in the list."""
    return sorted(tried, key=lambda each: each.at)


def signature_changes(tried: Iterable[TestRecord]) -> list[tuple[TestRecord, TestRecord]]:
    """Neighbours among those that ran whose failures differ."""
    ran = [each for each in in_order(tried) if each.observation is not None]
    return [(one, other) for one, other in pairwise(ran) if one.signature != other.signature]
