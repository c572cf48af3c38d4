"""What runs probes, as those see it who want observations and nothing more."""

from __future__ import annotations

import threading
from typing import Protocol

from flybisect.observation import Observation, Probe
from flybisect.toolchain.model import Toolchain


class Prober(Protocol):
    """`flybisect.probe.runner.Runner` on this machine, `flybisect.cluster.prober.ClusterProber` on many."""

    def run(
        self, probe: Probe, toolchain: Toolchain, cancelled: threading.Event | None = None
    ) -> Observation:
        """Ends early, with an observation of no meaning or `TrialCancelled`, once `cancelled` is set."""
        ...

    def run_cold(self, probe: Probe, toolchain: Toolchain) -> Observation:
        """In a fresh process that has seen no other trial."""
        ...
