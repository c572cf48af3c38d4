"""One script under many releases, each judged by itself, as `flybisect matrix` does it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flybisect.bisect import matrix as tables
from flybisect.bisect.matrix import Matrix
from flybisect.bisect.observer import Observer
from flybisect.bisect.test_record import TestRecord
from flybisect.case.case import Case
from flybisect.case.variables import say_missing
from flybisect.errors import UserError
from flybisect.observation import Answer, Verdict
from flybisect.search.bisect import Side
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.toolchains import Toolchains
from flybisect.workflows.bisection import open_table, versions_in
from flybisect.workflows.prepare import prepare_for_toolchains
from flybisect.workflows.progress import ShowsSearch


def matrix(
    options: Case,
    versions: str,
    show: ShowsSearch,
    *,
    tried: Callable[[TestRecord], None] = lambda row: None,
    pre: bool = False,
    extra_index_url: str | None = None,
) -> Matrix:
    """Under every release of `A..B`; `tried` gets each row as it comes. Raises UserError."""
    notify = show.notify
    prepared = prepare_for_toolchains(options, notify, extra_index_url=extra_index_url)
    every = versions_in(versions, prepared, pre=pre, extra_index_url=extra_index_url, notify=notify)
    with open_table(prepared, notify) as (observer, measure):
        show.trying_all(len(every))
        notify(f"trying both ends, {every[0]} and {every[-1]}")
        try_ends(every, prepared.toolchains, observer)

        def row(at: int, version: str, toolchain: Toolchain) -> TestRecord:
            return tables.row(at, version, toolchain, observer.observe(toolchain), measure)

        rows = []
        for at, version in enumerate(every):
            show.trying(version)
            rows.append(record_of(at, version, prepared.toolchains, row))
            tried(rows[-1])
    return Matrix(
        prepared.case.script, tuple(rows), prepared.case.same_as, tuple(say_missing(observer.unset, notify))
    )


def record_of(
    at: int,
    version: str,
    toolchains: Toolchains,
    row: Callable[[int, str, Toolchain], TestRecord],
) -> TestRecord:
    """Of one release; one that cannot be installed is skipped, and says why."""
    try:
        toolchain = toolchains.get(version)
    except UserError as error:
        return TestRecord(at, version, Side.SKIP, Verdict(Answer.UNRESOLVED, why=str(error)))
    return row(at, version, toolchain)


def try_ends(versions: Sequence[str], toolchains: Toolchains, observer: Observer) -> None:
    """The outermost releases that can be installed. How long a trial takes there bounds the others."""
    older, newer = _first(versions, toolchains), _first(versions[::-1], toolchains)
    if older is not None and newer is not None:
        observer.ends(older, newer)


def _first(versions: Sequence[str], toolchains: Toolchains) -> Toolchain | None:
    for version in versions:
        try:
            return toolchains.get(version)
        except UserError:
            continue
    return None
