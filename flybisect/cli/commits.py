"""`flybisect commits`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from flybisect.case.case import UNNAMED, Case
from flybisect.cli import options
from flybisect.cli.case_options import takes_case
from flybisect.cli.resumable import remembering
from flybisect.cli.sandbox_option import RequireSandbox
from flybisect.terminal.commits import print_commits
from flybisect.terminal.json_output import print_json
from flybisect.terminal.live import watching
from flybisect.workflows.commits import CommitOptions, bisect_commits


@takes_case()
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
    case: options.CaseOption = None,
    find: options.FindOption = None,
    jobs: options.BisectJobs = None,
    extra_index_url: options.ExtraIndex = None,
    require_sandbox: RequireSandbox = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    request: Case,
) -> None:
    """Find the commit that brought the bug in, or the one that repaired it."""
    named = replace(request, script=case or UNNAMED, jobs=jobs)
    wanted = CommitOptions(
        range=commits,
        repo=repo,
        allow_inexact=allow_inexact,
        build=build,
        mlir_path=mlir_path,
        paths=paths or (),
        first_parent=first_parent,
        extra_index_url=extra_index_url,
    )
    with watching("commits", quiet) as show:
        found = bisect_commits(named, wanted, show, find=find, begun=remembering(context.obj))
    if json:
        print_json(found.to_dict())
    else:
        print_commits(found.answer, found.log)


def add_to(app: typer.Typer) -> None:
    app.command()(commits)
