"""`flybisect commits`."""

from __future__ import annotations

from typing import Annotated

import typer

from flybisect import resuming
from flybisect.bisecting.asked import CommitsAsked, listed, search_commits
from flybisect.bisecting.looks import called
from flybisect.bisecting.start import open_study
from flybisect.commands import options
from flybisect.commands.grouped import takes_group
from flybisect.commands.studied import Studied
from flybisect.report.asjson import print_json
from flybisect.report.committed import print_commits
from flybisect.report.live import watching
from flybisect.running.falling import Watched
from flybisect.variables import say_missing
from flybisect.workbench import set_up


@takes_group
def commits(
    context: typer.Context,
    commits: Annotated[str, typer.Argument(metavar="A..B", help="Commits, as v0.2.4..main.")],
    *,
    repo: options.Repo = None,
    allow_inexact: options.AllowInexact = False,
    build: options.Build = False,
    mlir_path: options.MlirPath = None,
    paths: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="Only commits that touch it; repeatable.")
    ] = None,
    first_parent: Annotated[bool, typer.Option("--first-parent", help="As git has it.")] = False,
    studied: Studied,
) -> None:
    """Find the commit that brought the bug in, or the one that repaired it."""
    extra = studied.extra_index_url
    asked = CommitsAsked(
        range=commits,
        repo=repo,
        allow_inexact=allow_inexact,
        build=build,
        mlir_path=mlir_path,
        paths=paths or (),
        first_parent=first_parent,
        extra_index_url=extra,
    )
    with watching("commits", studied.quiet) as show:
        stand = set_up(studied.request(context.obj), show.notify, extra_index_url=extra)
        range_ = listed(asked, stand, show.notify)
        with open_study(stand, show.notify) as study:
            resuming.remember(study.session.folder, context.obj)
            show.bisecting(len(range_.line.candidates))
            observer = Watched(study.observer, lambda tried: show.trying(called(tried)))
            answer, log = search_commits(asked, range_, stand, study, observer, studied.find, show.notify)
            data = answer.to_dict(str(log))
            study.session.save_result({**(study.session.result() or {}), "commits": data})
        missing = say_missing(study.observer.unset, show.notify)
    if studied.json:
        print_json({**data, "missing_variables": missing})
    else:
        print_commits(answer, log)


def add_to(app: typer.Typer) -> None:
    app.command()(commits)
