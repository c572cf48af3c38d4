"""`flybisect commits`."""

from __future__ import annotations

from typing import Annotated

import typer

from flybisect.bisect.repeated_runs import toolchain_name
from flybisect.case.variables import say_missing
from flybisect.cli import options
from flybisect.cli.option_groups import takes_group
from flybisect.cli.shared_options import Studied
from flybisect.session import resume as resuming
from flybisect.terminal.commits import print_commits
from flybisect.terminal.json_output import print_json
from flybisect.terminal.live import watching
from flybisect.workflows.bisection import open_bisection
from flybisect.workflows.commits import CommitOptions, list_commits, search_commits
from flybisect.workflows.fallback import WatchedObserver
from flybisect.workflows.prepare import prepare_for_toolchains


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
    asked = CommitOptions(
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
        stand = prepare_for_toolchains(studied.request(context.obj), show.notify, extra_index_url=extra)
        range_ = list_commits(asked, stand, show.notify)
        with open_bisection(stand, show.notify) as study:
            resuming.save_command(study.session.folder, context.obj)
            show.bisecting(len(range_.line.candidates))
            observer = WatchedObserver(study.observer, lambda tried: show.trying(toolchain_name(tried)))
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
