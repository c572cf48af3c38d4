"""A bug that the FlyDSL under study does not have: the last release that has it."""

from __future__ import annotations

from collections.abc import Sequence

from flybisect.bisect import matrix
from flybisect.bisect.bisector import NoBoundary
from flybisect.bisect.endpoints import Find
from flybisect.bisect.release_search import ReleaseSearch
from flybisect.errors import UserError
from flybisect.toolchain.store import Notify
from flybisect.workflows.bisection import OpenBisection
from flybisect.workflows.fallback import Watch, WatchedObserver
from flybisect.workflows.matrix import try_ends
from flybisect.workflows.prepare import PreparedCase

FIRST = 7
"""Releases of a range that are looked at before the others, both ends among them."""


class Elsewhere(Exception):
    """The run is to study another release."""

    def __init__(self, version: str, why: str) -> None:
        super().__init__(version)
        self.version = version
        self.why = why


def last_affected(
    versions: Sequence[str], prepared: PreparedCase, study: OpenBisection, watch: Watch, notify: Notify
) -> str | None:
    """The last release that shows a bug, looked for from one that does; None where none of them does."""
    observer = WatchedObserver(study.observer, watch)
    try_ends(versions, prepared.toolchains, observer)
    without: list[int] = []
    for at in order(len(versions)):
        try:
            evidence = observer.observe(prepared.toolchains.get(versions[at]))
        except UserError as error:
            notify(str(error))
            continue
        if not matrix.verdict_of(evidence, study.measure).interesting:
            without.append(at)
            continue
        newer = min((other for other in without if other > at), default=None)
        if newer is None:
            return versions[at]
        part, journal = versions[at : newer + 1], study.session.journal
        search = ReleaseSearch(part, prepared.toolchains, observer, study.measure, notify, journal)
        try:
            return search.run(Find.FIX, prepared.jobs).before
        except NoBoundary:  # what is newer can't be judged
            return versions[at]
    return None


def order(count: int) -> list[int]:
    """In which order so many releases are looked at: some of the whole range first, the newest first."""
    step = max(1.0, (count - 1) / (FIRST - 1))
    first = sorted({round(at * step) for at in range(min(FIRST, count))}, reverse=True)
    return [*first, *(at for at in reversed(range(count)) if at not in first)]
