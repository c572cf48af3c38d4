"""`flybisect reduce`."""

from __future__ import annotations

import sqlite3
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from flybisect.case.variables import say_missing
from flybisect.cli import options
from flybisect.cli.interrupt import Interrupted
from flybisect.cli.notify import notifier
from flybisect.cli.option_groups import takes_group
from flybisect.cli.shared_options import Bug
from flybisect.judge.judge import Judge
from flybisect.oracle.registry import listing
from flybisect.reduce.passes import PASSES
from flybisect.reduce.select import select
from flybisect.session import resume as resuming
from flybisect.session.session import open_session
from flybisect.terminal.progress import progress
from flybisect.terminal.reduce import print_result
from flybisect.terminal.resume import how_to_resume
from flybisect.workflows import reduce as reducing
from flybisect.workflows.curve import Curve
from flybisect.workflows.flattened import files_note, notes
from flybisect.workflows.neighbours import hold_to, with_boundary
from flybisect.workflows.output_path import output_path
from flybisect.workflows.prepare import PreparedReduction, prepare
from flybisect.workflows.script_heading import heading_for


@takes_group
def reduce(
    context: typer.Context,
    script: options.Script,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="OUT.py", help="Without it: SCRIPT.min.py in the session's folder."
        ),
    ] = None,
    passes: options.Passes = None,
    skip_passes: options.SkipPasses = None,
    flydsl: options.Flydsl = None,
    valid_on: options.ValidOn = None,
    jobs: options.Jobs = None,
    bug: Bug,
) -> None:
    """Reduce a script to the smallest one that still shows its bug."""
    chosen = select(PASSES, passes, skip_passes)
    notify = notifier(bug.quiet)
    request = bug.about(script, context.obj, flydsl, jobs, valid_on or ())
    bench, assumed = with_boundary(prepare(request, notify), request, notify)
    with open_session(bench.workdir, bench.case, bench.source, bench.toolchain_keys) as session:
        resuming.save_command(session.folder, context.obj)
        out = output_path(output, session.folder, bench.case)
        for warning in session.warnings:
            notify(warning)
        try:
            with bench.judge(session.journal) as judge:
                judge.flakiness.notify = notify
                try:
                    reducing.check(judge, bench.source, bench.case.script.name, listing().plugins)
                finally:
                    say_missing(judge.unset, notify)
                hold_to(judge, bench, notify, insist=not assumed)
                judge.measure_flakiness(bench.source)
                one = reducing.flattened(judge, bench.script)
                files = reducing.files_beside(judge, one)
                for note in (*notes(one), *files_note(files)):
                    notify(note)
                with progress(judge, one.source, chosen, bug.quiet) as show:
                    drawn = Curve(session.folder, judge, one.source)
                    try:
                        notice = drawn.noting(show.step)
                        found = reducing.search(judge, session, one.source, chosen, notice)
                    finally:
                        drawn.save()
                    show.verifying(found.text)
                    named = one.called(bench.case.script)
                    met = tuple(each.setting.toolchain.spec for each in judge.required)
                    case = replace(bench.case, oracle=_pinned(bench, judge), script=named, valid_on=met)
                    heading = heading_for(
                        replace(bench, case=case, script=one), out, options.choice(passes, skip_passes)
                    )
                    result = reducing.finish(judge, session, one.source, found, out, heading)
        except (Interrupted, OSError, sqlite3.Error):
            print(how_to_resume(session, context.obj), file=sys.stderr)
            raise
    print_result(result, bug.json)
    if not result.verified_cold:
        raise typer.Exit(1)


def _pinned(bench: PreparedReduction, judge: Judge) -> str | None:
    """The oracle as it is named in a command: `auto` is by now another one."""
    return judge.oracle.name if bench.case.oracle == "auto" else bench.case.oracle


def add_to(app: typer.Typer) -> None:
    app.command()(reduce)
