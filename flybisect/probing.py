"""Where trials run: in worker processes of this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.probe.prober import Prober
from flybisect.probe.remembering import Keeper
from flybisect.probe.runner import Runner


@contextmanager
def probing(scheduler: str | None, jobs: int, keeper: object = None) -> Iterator[tuple[Prober, int]]:
    """A prober, and how many trials at once it is good for; at most `jobs`. All it made is gone at the end.

    `keeper`: where this machine's workers keep what compiles ended in, if it is a `Keeper`. Raises UserError
    where the scheduler or its packages are missing.
    """
    if scheduler is None:
        kept = keeper if isinstance(keeper, Keeper) else None
        with (
            TemporaryDirectory(prefix="flybisect-", ignore_cleanup_errors=True) as scratch,
            Runner(Path(scratch), jobs, kept) as runner,
        ):
            yield runner, jobs
        return
    # Dask and what comes with it take a second to import, and need not be installed.
    from flybisect.cluster.link import Link
    from flybisect.cluster.prober import ClusterProber

    with closing(Link(scheduler)) as link:
        yield ClusterProber(link), max(1, min(jobs, link.slots))
