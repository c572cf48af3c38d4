"""What a bisection has to show for itself: one entry for each FlyDSL that was tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flybisect.observation import Observation, Signature, Verdict
from flybisect.search.bisect import Side
from flybisect.search.settle import UNSEEN, Tally
from flybisect.signature import classify
from flybisect.toolchain.model import Toolchain


@dataclass(frozen=True)
class Tried:
    """One FlyDSL that was tried, or that there was no way to."""

    at: int
    """Its place in the list that is searched."""
    name: str
    """A version, or a commit's hash."""
    side: Side
    verdict: Verdict
    observation: Observation | None = None
    toolchain: Toolchain | None = None
    way: str = ""
    """How it was had, in words."""
    tally: Tally = UNSEEN
    """Of all looks at it; `observation` is of one that shows the bug, where any did."""

    @property
    def looks(self) -> int:
        """How often it was run."""
        return 0 if self.observation is None else max(1, self.tally.looks)

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
            "exactness": None if self.toolchain is None else self.toolchain.exactness.value,
            "toolchain": None if self.toolchain is None else self.toolchain.key,
            "flydsl": None if seen is None else seen.flydsl,
            "seconds": None if seen is None else round(seen.seconds, 3),
            "runs": self.looks,
            "shown": self.tally.bad if self.tally.looks else int(self.side is Side.BAD),
        }


def in_order(tried: Iterable[Tried]) -> list[Tried]:
    """By their place in the list."""
    return sorted(tried, key=lambda each: each.at)


def signature_changes(tried: Iterable[Tried]) -> list[tuple[Tried, Tried]]:
    """Neighbours among those that ran whose failures differ."""
    ran = [each for each in in_order(tried) if each.observation is not None]
    return [(one, other) for one, other in pairwise(ran) if one.signature != other.signature]
