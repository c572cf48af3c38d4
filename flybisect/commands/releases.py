"""`flybisect releases`."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from flybisect import resuming
from flybisect.bisecting.around import search_around
from flybisect.bisecting.looks import called
from flybisect.bisecting.releases import ReleaseSearch
from flybisect.bisecting.start import open_study, versions_in
from flybisect.commands import options
from flybisect.commands.grouped import takes_group
from flybisect.commands.studied import Studied
from flybisect.errors import UserError
from flybisect.report.asjson import print_json
from flybisect.report.live import watching
from flybisect.report.released import print_releases
from flybisect.running.falling import Watched
from flybisect.toolchain.index import parsed
from flybisect.variables import say_missing
from flybisect.workbench import set_up


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
        stand = set_up(studied.request(context.obj), show.notify, extra_index_url=extra)
        found = versions_in(versions, stand, pre=pre, extra_index_url=extra, notify=show.notify)
        if flydsl is not None and not any(parsed(each) == parsed(flydsl) for each in found):
            raise UserError(f"--flydsl {flydsl} is no release of {versions}; name one that shows the bug")
        with open_study(stand, show.notify) as study:
            resuming.remember(study.session.folder, context.obj)
            show.bisecting(len(found))
            observer = Watched(study.observer, lambda tried: show.trying(called(tried)))
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
