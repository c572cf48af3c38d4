"""Probes on a cluster, with the face of `flybisect.probe.runner.Runner`."""

from __future__ import annotations

import threading
from pathlib import Path

from flybisect.cluster import folders, wire
from flybisect.cluster import worker_tasks as elsewhere
from flybisect.cluster.builder import ClusterBuilder
from flybisect.cluster.client import SchedulerClient
from flybisect.errors import UserError
from flybisect.observation import Observation, Probe
from flybisect.probe.process import TrialCancelled
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.source import SourceBuilder

FRESH_WORKERS = 100
"""Workers in a row that a folder is sent to for one trial."""


class ClusterProber:
    """Safe to use from several threads."""

    def __init__(self, link: SchedulerClient) -> None:
        self._link = link
        self._lock = threading.Lock()
        self._packed: dict[Path, bytes | None] = {}

    def run(
        self, probe: Probe, toolchain: Toolchain, cancelled: threading.Event | None = None
    ) -> Observation:
        """Blocks until the trial is over. Raises TrialCancelled, and UserError where the cluster fails."""
        return self._asked(probe, toolchain, cold=False, cancelled=cancelled)

    def run_cold(self, probe: Probe, toolchain: Toolchain) -> Observation:
        return self._asked(probe, toolchain, cold=True, cancelled=None)

    def builder(self, local: SourceBuilder) -> ClusterBuilder:
        """One that builds what `local` would, on the workers."""
        return ClusterBuilder(local, self._link)

    def _asked(
        self, probe: Probe, toolchain: Toolchain, *, cold: bool, cancelled: threading.Event | None
    ) -> Observation:
        packed = None if probe.folder is None else self._files(probe.folder)
        key = None if packed is None else folders.key(packed)
        request = wire.pack_request(wire.TrialRequest(probe, toolchain, cold, key))
        along: bytes | None = None
        for _ in range(FRESH_WORKERS):
            reply = self._reply(request, along, cancelled)
            if reply.seen is not None:
                return reply.seen
            if reply.refused is not None:
                if cancelled is not None and cancelled.is_set():
                    raise TrialCancelled
                raise UserError(reply.refused)
            along = packed
        raise UserError("the workers do not keep the files beside the script; look at their disks")

    def _reply(
        self, request: bytes, along: bytes | None, cancelled: threading.Event | None
    ) -> wire.TrialReply:
        try:
            return wire.unpack_reply(self._link.call(elsewhere.trial, (request, along), cancelled))
        except (ValueError, KeyError) as error:
            raise UserError(
                f"a worker's reply cannot be read ({error}); is its flybisect the same?"
            ) from error

    def _files(self, folder: Path) -> bytes | None:
        """None where there are more than are shipped: then the workers have to see the folder."""
        with self._lock:
            if folder not in self._packed:
                try:
                    self._packed[folder] = folders.pack(folder)
                except (folders.TooLarge, OSError):
                    self._packed[folder] = None
            return self._packed[folder]
