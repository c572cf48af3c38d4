"""`flybisect run`."""

from __future__ import annotations

import shlex
import sqlite3
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from flybisect.case.atomic_file import write_text
from flybisect.case.case import split_args
from flybisect.case.request import CaseRequest
from flybisect.cli import completion as completing
from flybisect.cli import options
from flybisect.cli.interrupt import Interrupted
from flybisect.cli.option_groups import takes_group
from flybisect.cli.shared_options import Bug
from flybisect.errors import UserError
from flybisect.reduce.passes import PASSES
from flybisect.reduce.select import select
from flybisect.report import bundle as bundles
from flybisect.report.gather import gather
from flybisect.report.markdown import as_markdown
from flybisect.report.redaction import here
from flybisect.session import resume as resuming
from flybisect.session.listing import session_named
from flybisect.session.session import open_session
from flybisect.terminal.json_output import print_json
from flybisect.terminal.live import NoLines, watching
from flybisect.terminal.resume import how_to_resume
from flybisect.workflows.commits import CommitOptions
from flybisect.workflows.findings import Findings
from flybisect.workflows.known_clone import known_clone
from flybisect.workflows.last_affected import Elsewhere
from flybisect.workflows.output_path import output_path
from flybisect.workflows.prepare import PreparedReduction, prepare
from flybisect.workflows.reduce import Heading
from flybisect.workflows.run import RunWorkflow
from flybisect.workflows.run_options import RunOptions
from flybisect.workflows.script_heading import heading_for


@dataclass(frozen=True)
class Whole(Bug):
    """What a run is asked for: one field for each option."""

    releases: Annotated[
        str | None,
        typer.Option(
            metavar="A..B",
            autocompletion=completing.versions,
            help="Also between which of these releases it came or went.",
        ),
    ] = None
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Every release of that range in the table, not only those tried.")
    ] = False
    variant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT", help="Other arguments of the script, for the table of releases; repeatable."
        ),
    ] = None
    commits: Annotated[
        str | None,
        typer.Option(
            metavar="A..B", help="Also which of these commits; with --repo alone, those between the releases."
        ),
    ] = None
    repo: options.Repo = None
    reduced: Annotated[
        Path | None,
        typer.Option(metavar="FILE.py", help="A script that was reduced already, in place of a reduction."),
    ] = None
    find: options.FindOption = None
    allow_inexact: options.AllowInexact = False
    build: options.Build = False
    mlir_path: options.MlirPath = None
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT.md", help="Where the report goes, too."),
    ] = None
    bundle: Annotated[
        Path | None, typer.Option(metavar="OUT.zip", help="Also a bundle, as `flybisect report` writes it.")
    ] = None
    passes: options.Passes = None
    skip_passes: options.SkipPasses = None
    flydsl: options.Flydsl = None
    jobs: options.Jobs = None
    pre: options.Pre = False
    extra_index_url: options.ExtraIndex = None

    def asked(self) -> RunOptions:
        """Raises UserError where options do not go together."""
        if self.releases is None and (self.matrix or self.variant):
            raise UserError("--matrix and --variant are about releases; say which with --releases A..B")
        return RunOptions(
            releases=self.releases,
            whole_matrix=self.matrix,
            pre=self.pre,
            variants=[split_args(text, "--variant") for text in self.variant or ()],
            commits=self._commits(),
            reduced=self.reduced,
            find=self.find,
            extra_index_url=self.extra_index_url,
        )

    def _commits(self) -> CommitOptions | None:
        """None where no commits were asked for."""
        if self.commits is None and self.repo is None:
            return None
        return CommitOptions(
            range=self.commits or "",
            repo=self.repo,
            allow_inexact=self.allow_inexact,
            build=self.build,
            mlir_path=self.mlir_path,
            extra_index_url=self.extra_index_url,
        )


@takes_group
def run(context: typer.Context, script: options.Script, *, whole: Whole) -> None:
    """Check a script, find the releases around its bug, reduce it, find the commit, and write a report."""
    request = whole.about(script, context.obj, whole.flydsl, whole.jobs)
    with watching("getting ready", whole.quiet) as show:
        try:
            conductor, bench, folder = _conducted(context.obj, request, whole, show)
        except Elsewhere as other:
            request = replace(request, flydsl=other.version)
            conductor, bench, folder = _conducted(context.obj, request, whole, show, other.why)
        if all(not step.done for step in conductor.steps):
            raise UserError(conductor.steps[0].told)
        report = _report_path(whole, bench, folder)
        show.begin("report")
        found, checked = _write_up(bench, folder, report, whole, show.notify)
    if whole.json:
        print_json(_data(found, report, whole.bundle))
    else:
        _print(found, report, whole.bundle)
    if checked is not None and not checked.shows:
        raise UserError(
            f"{whole.bundle} is written, but its reproduce.sh does not show the bug: {checked.why}"
        )
    if conductor.result is not None and not conductor.result.verified_cold:
        raise typer.Exit(1)


def _conducted(
    words: Sequence[str], request: CaseRequest, whole: Whole, show: NoLines, instead: str = ""
) -> tuple[RunWorkflow, PreparedReduction, Path]:
    """A run that was made, its bench and its session's folder. Raises Elsewhere."""
    asked, chosen = whole.asked(), select(PASSES, whole.passes, whole.skip_passes)
    choice = options.choice(whole.passes, whole.skip_passes)
    bench = prepare(request, show.notify)
    with open_session(bench.workdir, bench.case, bench.source, bench.toolchain_keys) as session:
        resuming.save_command(session.folder, words)
        _report_path(whole, bench, session.folder)
        for warning in session.warnings:
            show.notify(warning)

        def heading(bench: PreparedReduction, output: Path) -> Heading:
            return heading_for(bench, output, choice)

        conductor = RunWorkflow(bench, session, request, asked, chosen, heading, show, instead)
        try:
            conductor.all()
        except (Interrupted, OSError, sqlite3.Error):
            print(how_to_resume(session, words), file=sys.stderr)
            raise
        return conductor, bench, session.folder


def _report_path(whole: Whole, bench: PreparedReduction, folder: Path) -> Path:
    """Raises UserError where it can't be written there."""
    if whole.output is None:
        return folder / "report.md"
    return output_path(whole.output, Path(), bench.case)


def _write_up(
    bench: PreparedReduction, folder: Path, report: Path, whole: Whole, notify: Callable[[str], None]
) -> tuple[Findings, bundles.Checked | None]:
    """Writes the report, and the bundle where one is asked for, with what a run of that gave."""
    try:
        repository = known_clone(whole.repo, Path.cwd(), bench.workdir, notify)
    except UserError:  # said already, where commits were looked for
        repository = None
    found = gather(session_named(str(folder), bench.workdir), bench.workdir, repository, notify)
    private = here([bench.case.script.parent, folder, bench.workdir, Path.cwd()])
    text = as_markdown(found, private)
    write_text(report, text)
    if whole.bundle is None:
        return found, None
    texts = bundles.contents(found, text, private)
    bundles.write(whole.bundle, texts)
    return found, bundles.check(texts, bench.subject.toolchain, found.arch)


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
