"""Where trials and builds run: on this machine, or on a cluster."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, runtime_checkable

from flybisect.probe.prober import Prober
from flybisect.probe.remembering import CompileStore
from flybisect.probe.runner import Runner
from flybisect.toolchain import model
from flybisect.toolchain.source import SourceBuilder


class Stoppable(model.CommitBuilder, Protocol):
    """A builder whose builds can be ended."""

    @property
    def stop(self) -> threading.Event: ...


@runtime_checkable
class LendsBuilders(Protocol):
    """A prober whose machines build, too."""

    def builder(self, local: SourceBuilder) -> Stoppable: ...


def building(prober: Prober, local: SourceBuilder) -> Stoppable:
    """Builds where the trials run: on the cluster, or here."""
    return prober.builder(local) if isinstance(prober, LendsBuilders) else local


@contextmanager
def probing(
    scheduler: str | None, jobs: int, keeper: object = None, hidden: Sequence[Path] = ()
) -> Iterator[tuple[Prober, int]]:
    """A prober, and how many trials at once it is good for; at most `jobs`. All it made is gone at the end.

    `keeper`: where this machine's workers keep what compiles ended in, if it is a `CompileStore`. `hidden`:
    folders that no trial sees. Raises UserError where the scheduler or its packages are missing.
    """
    if scheduler is None:
        kept = keeper if isinstance(keeper, CompileStore) else None
        with (
            TemporaryDirectory(prefix="flybisect-", ignore_cleanup_errors=True) as scratch,
            Runner(Path(scratch), jobs, kept, hidden) as runner,
        ):
            yield runner, jobs
        return
    # Dask and what comes with it take a second to import, and need not be installed.
    from flybisect.cluster.client import SchedulerClient
    from flybisect.cluster.prober import ClusterProber

    with closing(SchedulerClient(scheduler)) as link:
        yield ClusterProber(link), max(1, min(jobs, link.slots))
