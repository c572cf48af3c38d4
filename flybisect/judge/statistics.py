"""What a search cost, counted while it runs."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from enum import Enum

from flybisect.observation import Observation


class AnswerSource(Enum):
    """Where the answer for a candidate came from."""

    STATIC = "static"
    """A static check; nothing was run."""
    CACHE = "cache"
    """This or an earlier run had the answer already."""
    TRIAL = "trial"
    """At least one trial was run."""


@dataclass(frozen=True)
class Statistics:
    """A snapshot. `candidates` is the sum of static rejections, cache hits and candidates tried."""

    compiles: int = 0
    """Trials that reached FlyDSL, under the base as well as under the subject, without `replayed`."""
    replayed: int = 0
    """Trials without MLIR's passes and LLVM: what was traced had been compiled before, by another one."""
    traced_only: int = 0
    """Of `compiles`, those that ended before MLIR's passes, while a kernel or launcher was traced."""
    repeated: int = 0
    """Of `compiles`, those of what an earlier trial had compiled, where it was not to be compiled anew."""
    cache_hits: int = 0
    """Candidates answered by the journal or by an equal candidate before."""
    candidates: int = 0
    """Candidates asked about."""
    rejected_statically: int = 0
    """Candidates that do not parse, read an unbound name, or no longer get to a kernel."""
    seconds: float = 0.0
    """Wall time since counting began."""


class StatisticsCounter:
    """Counts from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._compiles = self._replayed = self._traced_only = self._repeated = 0
        self._compiled: set[tuple[str, str]] = set()
        self._by_source = dict.fromkeys(AnswerSource, 0)

    def trial(self, seen: Observation, toolchain: str, *, anew: bool = False) -> None:
        """A trial was run. `toolchain`: its key. `anew`: whatever is known from others."""
        with self._lock:
            if seen.only_replayed:
                self._replayed += 1
                return
            self._compiles += seen.reached_flydsl
            self._traced_only += seen.reached_flydsl and not seen.traced
            compiled = {(toolchain, key) for key in seen.compiled}
            self._repeated += not anew and not self._compiled.isdisjoint(compiled)
            self._compiled |= compiled

    def candidate(self, source: AnswerSource) -> None:
        """A candidate was answered."""
        with self._lock:
            self._by_source[source] += 1

    def snapshot(self) -> Statistics:
        with self._lock:
            return Statistics(
                compiles=self._compiles,
                replayed=self._replayed,
                traced_only=self._traced_only,
                repeated=self._repeated,
                cache_hits=self._by_source[AnswerSource.CACHE],
                candidates=sum(self._by_source.values()),
                rejected_statically=self._by_source[AnswerSource.STATIC],
                seconds=time.monotonic() - self._began,
            )
