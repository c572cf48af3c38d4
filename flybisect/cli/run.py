"""`flybisect run`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from flybisect.case.atomic_file import write_text
from flybisect.case.case import Case
from flybisect.case.readers import split_args
from flybisect.cli import options
from flybisect.cli.case_options import takes_case
from flybisect.cli.resumable import resumable
from flybisect.cli.sandbox_option import RequireSandbox
from flybisect.errors import UserError
from flybisect.reduce.passes import PASSES
from flybisect.reduce.select import select
from flybisect.report.session_report import report_of
from flybisect.terminal.json_output import print_json
from flybisect.terminal.live import watching
from flybisect.terminal.run import as_dict, print_run
from flybisect.workflows.commits import CommitOptions
from flybisect.workflows.known_clone import clone_or_none
from flybisect.workflows.run import run as run_all
from flybisect.workflows.run_options import RunOptions


@takes_case("flydsl", "figure", "jobs")
def run(
    context: typer.Context,
    script: options.Script,
    *,
    releases: options.RunReleases = None,
    matrix: options.WholeMatrix = False,
    variant: options.Variants = None,
    commits: options.RunCommits = None,
    repo: options.Repo = None,
    reduced: options.Reduced = None,
    find: options.FindOption = None,
    allow_inexact: options.AllowInexact = False,
    build: options.Build = False,
    mlir_path: options.MlirPath = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT.md", help="Where the report goes, too."),
    ] = None,
    bundle: Annotated[
        Path | None, typer.Option(metavar="OUT.zip", help="Also a bundle, as `flybisect report` writes it.")
    ] = None,
    passes: options.Passes = None,
    skip_passes: options.SkipPasses = None,
    pre: options.Pre = False,
    extra_index_url: options.ExtraIndex = None,
    require_sandbox: RequireSandbox = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    request: Case,
) -> None:
    """Check a script, find the releases around its bug, reduce it, find the commit, and write a report."""
    wanted_commits = CommitOptions(
        range=commits or "",
        repo=repo,
        allow_inexact=allow_inexact,
        build=build,
        mlir_path=mlir_path,
        extra_index_url=extra_index_url,
    )
    wanted = RunOptions(
        releases=releases,
        whole_matrix=matrix,
        pre=pre,
        variants=[split_args(text, "--variant") for text in variant or ()],
        commits=None if commits is None and repo is None else wanted_commits,
        reduced=reduced,
        find=find,
        output=output,
        extra_index_url=extra_index_url,
    )
    chosen, more = select(PASSES, passes, skip_passes), options.choice(passes, skip_passes)
    with watching("getting ready", quiet) as show:
        with resumable(context.obj) as begun:
            done = run_all(replace(request, script=script), wanted, chosen, show, more=more, begun=begun)
        show.begin("report")
        workdir = done.prepared.workdir
        clone = clone_or_none(repo, Path.cwd(), workdir, show.notify)
        report = report_of(str(done.folder), workdir, clone, show.notify)
        write_text(done.report, report.markdown)
        problem = None if bundle is None else report.write_bundle(bundle)
    if json:
        print_json(as_dict(report.found, done.report, bundle))
    else:
        print_run(report.found, done.report, bundle)
    if problem is not None:
        raise UserError(problem)
    if done.result is not None and not done.result.verified_cold:
        raise typer.Exit(1)


def add_to(app: typer.Typer) -> None:
    app.command()(run)
