"""How long a trial may take.

The unreduced script gets a generous limit. Every later trial gets a multiple of what the slowest
interesting one took, so that a mutated script that loops does not hold the search up, while noise of
the machine changes no answer. A limit that the user gave holds for every trial alike.
"""

from __future__ import annotations

from flybisect.observation import Observation, Outcome

FIRST = 300.0
"""Wall seconds for the unreduced script."""
LEAST = 10.0
"""Wall seconds that every later trial has, however quick the others were."""
FACTOR = 4.0
"""Times the slowest interesting trial."""
IMPORTS = 60.0
"""Wall seconds more for a cold trial, which imports torch and FlyDSL itself."""
MEMORY = 8192
"""MiB that a trial may add to its warm worker, where the case does not say."""
TIMEOUTS = (0.1, 1e6)
"""Wall seconds that can be asked for; more does not fit into what the system waits for at once."""
JOBS = (1, 256)
"""Trials at once that can be asked for."""
MEMORIES = (64, 1 << 24)
"""MiB that can be asked for; more does not fit into an address space."""


class TimeLimit:
    """The wall-clock limit of the next trial, in seconds."""

    def __init__(self, given: float | None) -> None:
        self._given = given is not None
        self._fixed = given
        self._slowest: float | None = None

    @property
    def seconds(self) -> float:
        if self._fixed is not None:
            return self._fixed
        if self._slowest is None:
            return FIRST
        return max(LEAST, FACTOR * self._slowest)

    def bound(self, seconds: float) -> None:
        """Hold every trial to this, unless the user gave a limit."""
        if not self._given:
            self._fixed = seconds

    def learn(self, interesting: Observation) -> None:
        """Take note of a trial that belongs to an interesting candidate."""
        if interesting.outcome is Outcome.TIMEOUT:
            # The hang itself is the bug: a growing limit would make every trial dearer than the last.
            self._fixed = self.seconds
        self._slowest = max(self._slowest or 0.0, interesting.seconds)
