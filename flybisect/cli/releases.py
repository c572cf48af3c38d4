"""`flybisect releases`."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from flybisect.bisect.around import search_around
from flybisect.bisect.release_search import ReleaseSearch
from flybisect.bisect.repeated_runs import toolchain_name
from flybisect.case.variables import say_missing
from flybisect.cli import options
from flybisect.cli.option_groups import takes_group
from flybisect.cli.shared_options import Studied
from flybisect.errors import UserError
from flybisect.session import resume as resuming
from flybisect.terminal.json_output import print_json
from flybisect.terminal.live import watching
from flybisect.terminal.releases import print_releases
from flybisect.toolchain.index import parsed
from flybisect.workflows.bisection import open_bisection, versions_in
from flybisect.workflows.fallback import WatchedObserver
from flybisect.workflows.prepare import prepare_for_toolchains


@takes_group
def releases(
    context: typer.Context,
    versions: options.Versions,
    *,
    flydsl: options.ShownOn = None,
    pre: options.Pre = False,
    studied: Studied,
) -> None:
    """Find the release in which the bug appeared, or the one that fixed it."""
    extra = studied.extra_index_url
    with watching("releases", studied.quiet) as show:
        stand = prepare_for_toolchains(studied.request(context.obj), show.notify, extra_index_url=extra)
        found = versions_in(versions, stand, pre=pre, extra_index_url=extra, notify=show.notify)
        if flydsl is not None and not any(parsed(each) == parsed(flydsl) for each in found):
            raise UserError(f"--flydsl {flydsl} is no release of {versions}; name one that shows the bug")
        with open_bisection(stand, show.notify) as study:
            resuming.save_command(study.session.folder, context.obj)
            show.bisecting(len(found))
            observer = WatchedObserver(study.observer, lambda tried: show.trying(toolchain_name(tried)))
            journal, measure = study.session.journal, study.measure

            def searching(part: Sequence[str]) -> ReleaseSearch:
                return ReleaseSearch(part, stand.toolchains, observer, measure, show.notify, journal)

            answer = search_around(searching, found, flydsl, studied.find, stand.jobs)
            study.session.save_result({**(study.session.result() or {}), "releases": answer.to_dict()})
        missing = say_missing(study.observer.unset, show.notify)
    if studied.json:
        print_json({**answer.to_dict(), "missing_variables": missing})
    else:
        print_releases(answer)


def add_to(app: typer.Typer) -> None:
    app.command()(releases)
