"""Builds of commits on the workers: each in the build cache of its machine, the result in the working folder.

What is built is what costs: the native half. It is copied into the working folder, which the workers have to
see, and from there on is found as if it had been built here. So a build serves every later search, wherever
its trials run.
"""

from __future__ import annotations

import threading
from pathlib import Path

import msgpack

from flybisect import __version__
from flybisect.case.atomic_file import write_text
from flybisect.cluster import worker_tasks as elsewhere
from flybisect.cluster.client import SchedulerClient
from flybisect.errors import UserError
from flybisect.probe.process import TrialCancelled
from flybisect.toolchain.failure import BuildFailed
from flybisect.toolchain.model import Exactness, Toolchain
from flybisect.toolchain.processes import Stopped
from flybisect.toolchain.source import SourceBuilder


class ClusterBuilder:
    """A `model.SourceBuilder` whose builds run elsewhere. It may be used by several threads."""

    def __init__(self, local: SourceBuilder, link: SchedulerClient) -> None:
        self._local = local
        self._link = link

    @property
    def stop(self) -> threading.Event:
        """Set, it ends the builds that are under way."""
        return self._local.stop

    def exactness(self, commit: str) -> Exactness:
        return self._local.exactness(commit)

    def ready(self, commit: str) -> bool:
        return self._local.ready(commit)

    def log(self, commit: str) -> Path:
        return self._local.log(commit)

    def build(self, commit: str) -> Toolchain:
        """See `model.SourceBuilder`; raises UserError, too, where a worker does not see the clone or the
        working folder."""
        if not self._local.ready(commit):
            self._local.exactness(commit)
            self._local.notify(f"building {commit[:12]} on the cluster")
            self._built_elsewhere(commit)
            if not self._local.ready(commit):
                self._local.notify(
                    f"{commit[:12]}: the worker has another compiler or flags; it is built here"
                )
        return self._local.build(commit)

    def _built_elsewhere(self, commit: str) -> None:
        mlir = self._local.mlir_path
        asked = {
            "version": __version__,
            "commit": commit,
            "repo": str(self._local.repo.absolute()),
            "workdir": str(self._local.workdir.absolute()),
            "mlir": None if mlir is None else str(mlir.absolute()),
            "timeout": self._local.timeout,
            "build_type": self._local.build_type,
        }
        try:
            reply = msgpack.unpackb(self._link.call(elsewhere.build, (msgpack.packb(asked),), self.stop))
        except TrialCancelled as error:
            raise Stopped from error
        if reply["refused"] is not None:
            raise UserError(reply["refused"])
        if reply["failed"] is not None:
            log = self._local.log(commit)
            log.parent.mkdir(parents=True, exist_ok=True)
            write_text(log, reply["log"])
            raise BuildFailed(reply["failed"], log)
