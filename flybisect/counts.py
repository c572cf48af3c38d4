"""What a search cost, counted while it runs."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from enum import Enum


class Source(Enum):
    """Where the answer for a candidate came from."""

    STATIC = "static"
    """A static check; nothing was run."""
    CACHE = "cache"
    """This or an earlier run had the answer already."""
    TRIAL = "trial"
    """At least one trial was run."""


@dataclass(frozen=True)
class Counts:
    """A snapshot. `candidates` is the sum of static rejections, cache hits and candidates tried."""

    compiles: int = 0
    """Trials that reached FlyDSL, under the base as well as under the subject."""
    cache_hits: int = 0
    """Candidates answered by the journal or by an equal candidate before."""
    candidates: int = 0
    """Candidates asked about."""
    rejected_statically: int = 0
    """Candidates that do not parse or read an unbound name."""
    seconds: float = 0.0
    """Wall time since counting began."""


class Counter:
    """Counts from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._compiles = 0
        self._by_source = dict.fromkeys(Source, 0)

    def trial(self, reached_flydsl: bool) -> None:
        """A trial was run."""
        with self._lock:
            self._compiles += reached_flydsl

    def candidate(self, source: Source) -> None:
        """A candidate was answered."""
        with self._lock:
            self._by_source[source] += 1

    def snapshot(self) -> Counts:
        with self._lock:
            return Counts(
                compiles=self._compiles,
                cache_hits=self._by_source[Source.CACHE],
                candidates=sum(self._by_source.values()),
                rejected_statically=self._by_source[Source.STATIC],
                seconds=time.monotonic() - self._began,
            )
