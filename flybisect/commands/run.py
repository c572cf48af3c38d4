"""`flybisect run`."""

from __future__ import annotations

import shlex
import sqlite3
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from flybisect import resuming
from flybisect.bisecting.asked import CommitsAsked
from flybisect.case import split_args
from flybisect.commands import options
from flybisect.commands.grouped import takes_group
from flybisect.commands.studied import Bug
from flybisect.durable import write_text
from flybisect.errors import UserError
from flybisect.findings.clone import known_clone
from flybisect.findings.gather import gather
from flybisect.findings.model import Findings
from flybisect.findings.sessions import session_named
from flybisect.interrupt import Interrupted
from flybisect.output import output_path
from flybisect.reduce.passes import PASSES
from flybisect.reduce.select import select
from flybisect.report import bundle as bundles
from flybisect.report.asjson import print_json
from flybisect.report.live import watching
from flybisect.report.markdown import as_markdown
from flybisect.report.private import here
from flybisect.report.result import heading_for
from flybisect.report.resume import how_to_resume
from flybisect.running.asked import Asked
from flybisect.running.conductor import Conductor
from flybisect.session import open_session
from flybisect.workbench import prepare


@takes_group
def run(
    context: typer.Context,
    script: options.Script,
    *,
    releases: Annotated[
        str | None,
        typer.Option(metavar="A..B", help="Also between which of these releases it came or went."),
    ] = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Every release of that range in the table, not only those tried.")
    ] = False,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT", help="Other arguments of the script, for the table of releases; repeatable."
        ),
    ] = None,
    commits: Annotated[
        str | None,
        typer.Option(
            metavar="A..B", help="Also which of these commits; with --repo alone, those between the releases."
        ),
    ] = None,
    repo: options.Repo = None,
    reduced: Annotated[
        Path | None,
        typer.Option(metavar="FILE.py", help="A script that was reduced already, in place of a reduction."),
    ] = None,
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
    flydsl: options.Flydsl = None,
    jobs: options.Jobs = None,
    pre: options.Pre = False,
    extra_index_url: options.ExtraIndex = None,
    bug: Bug,
) -> None:
    """Check a script, reduce it, find release and commit, and write a report. What can't be done says why."""
    chosen = select(PASSES, passes, skip_passes)
    request = bug.about(script, context.obj, flydsl, jobs)
    asked = Asked(
        releases=releases,
        whole_matrix=matrix,
        pre=pre,
        variants=[split_args(text, "--variant") for text in variant or ()],
        commits=_commits(commits, repo, allow_inexact, build, mlir_path, extra_index_url),
        reduced=reduced,
        find=find,
        extra_index_url=extra_index_url,
    )
    if asked.releases is None and (matrix or variant):
        raise UserError("--matrix and --variant are about releases; say which with --releases A..B")
    with watching("getting ready", bug.quiet) as show:
        bench = prepare(request, show.notify)
        with open_session(bench.workdir, bench.case, bench.source, bench.toolchain_keys) as session:
            resuming.remember(session.folder, context.obj)
            report = (
                session.folder / "report.md" if output is None else output_path(output, Path(), bench.case)
            )
            for warning in session.warnings:
                show.notify(warning)
            conductor = Conductor(
                bench,
                session,
                request,
                asked,
                chosen,
                lambda bench, out: heading_for(bench, out, options.choice(passes, skip_passes)),
                show,
            )
            try:
                conductor.all()
            except (Interrupted, OSError, sqlite3.Error):
                print(how_to_resume(session, context.obj), file=sys.stderr)
                raise
        if all(not step.done for step in conductor.steps):
            raise UserError(conductor.steps[0].told)
        show.begin("report")
        try:
            repository = known_clone(repo, Path.cwd(), bench.workdir, show.notify)
        except UserError:  # said already, where commits were looked for
            repository = None
        found = gather(
            session_named(str(session.folder), bench.workdir), bench.workdir, repository, show.notify
        )
        private = here([bench.case.script.parent, session.folder, bench.workdir, Path.cwd()])
        text = as_markdown(found, private)
        write_text(report, text)
        checked = None
        if bundle is not None:
            texts = bundles.contents(found, text, private)
            bundles.write(bundle, texts)
            checked = bundles.check(texts, bench.subject.toolchain)
    if bug.json:
        print_json(_data(found, report, bundle))
    else:
        _print(found, report, bundle)
    if checked is not None and not checked.shows:
        raise UserError(f"{bundle} is written, but its reproduce.sh does not show the bug: {checked.why}")
    if conductor.result is not None and not conductor.result.verified_cold:
        raise typer.Exit(1)


def _commits(
    range_: str | None,
    repo: str | None,
    allow_inexact: bool,
    build: bool,
    mlir_path: Path | None,
    extra_index_url: str | None,
) -> CommitsAsked | None:
    """None where no commits were asked for."""
    if range_ is None and repo is None:
        return None
    return CommitsAsked(
        range=range_ or "",
        repo=repo,
        allow_inexact=allow_inexact,
        build=build,
        mlir_path=mlir_path,
        extra_index_url=extra_index_url,
    )


def _data(found: Findings, report: Path, bundle: Path | None) -> dict[str, Any]:
    """What `--json` prints. Keys are kept stable; more may come."""
    return {
        "session": str(found.folder),
        "report": str(report),
        "bundle": None if bundle is None else str(bundle),
        "steps": [vars(step) for step in found.steps],
        "reduction": found.reduction,
        "releases": found.releases,
        "matrix": found.matrix,
        "variants": list(found.variants),
        "commits": found.commits,
    }


def _print(found: Findings, report: Path, bundle: Path | None) -> None:
    for step in found.steps:
        print(f"{step.name}: {step.told}" if step.done else f"{step.name}: NOT DONE: {step.told}")
    if found.reduction is not None:
        print(f"script: {shlex.quote(str(found.reduction['output']))}")
    if bundle is not None:
        print(f"bundle: {bundle}")
    print(report)


def add_to(app: typer.Typer) -> None:
    app.command()(run)
