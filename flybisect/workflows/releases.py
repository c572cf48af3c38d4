"""Which release brought a bug in, or fixed it, as `flybisect releases` does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flybisect.bisect.around import Around, search_around
from flybisect.bisect.endpoints import Find
from flybisect.bisect.release_search import ReleaseSearch
from flybisect.bisect.repeated_runs import toolchain_name
from flybisect.case.case import Case
from flybisect.case.variables import say_missing
from flybisect.errors import UserError
from flybisect.toolchain.index import parsed
from flybisect.workflows.bisection import OpenBisection, open_bisection, studied, versions_in
from flybisect.workflows.fallback import WatchedObserver
from flybisect.workflows.prepare import PreparedCase, prepare_for_toolchains
from flybisect.workflows.progress import Begun, ShowsSearch


@dataclass(frozen=True)
class BisectedReleases:
    answer: Around
    missing_variables: tuple[str, ...]
    """That the script reads, and that are set here but not in trials."""

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {**self.answer.to_dict(), "missing_variables": list(self.missing_variables)}


def bisect_releases(
    options: Case,
    versions: str,
    show: ShowsSearch,
    *,
    shown_on: str | None = None,
    find: Find | None = None,
    pre: bool = False,
    extra_index_url: str | None = None,
    begun: Begun = lambda session: None,
) -> BisectedReleases:
    """Among `A..B`. `shown_on`: a release in between that shows the bug. Without a script in the options, of
    what was reduced last. Raises UserError where no boundary is found."""
    notify = show.notify
    prepared = prepare_for_toolchains(studied(options), notify, extra_index_url=extra_index_url)
    every = versions_in(versions, prepared, pre=pre, extra_index_url=extra_index_url, notify=notify)
    if shown_on is not None and not any(parsed(each) == parsed(shown_on) for each in every):
        raise UserError(f"--flydsl {shown_on} is no release of {versions}; name one that shows the bug")
    with open_bisection(prepared, notify) as study:
        begun(study.session)
        answer = search_releases(prepared, every, study, shown_on, find, show)
        study.session.save_result({**(study.session.result() or {}), "releases": answer.to_dict()})
    return BisectedReleases(answer, tuple(say_missing(study.observer.unset, notify)))


def search_releases(
    prepared: PreparedCase,
    versions: Sequence[str],
    study: OpenBisection,
    shown_on: str | None,
    find: Find | None,
    show: ShowsSearch,
) -> Around:
    """Raises UserError where no boundary is found."""
    show.bisecting(len(versions))
    observer = WatchedObserver(study.observer, lambda tried: show.trying(toolchain_name(tried)))
    measure, journal = study.measure, study.session.journal

    def searching(part: Sequence[str]) -> ReleaseSearch:
        return ReleaseSearch(part, prepared.toolchains, observer, measure, show.notify, journal)

    return search_around(searching, versions, shown_on, find, prepared.jobs)
