"""`flybisect reduce`."""

from __future__ import annotations

import sqlite3
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from flybisect import reducing, resuming
from flybisect.commands import options
from flybisect.commands.notify import notifier
from flybisect.commands.sandbox import RequireSandbox
from flybisect.findings.curve import Curve
from flybisect.interrupt import Interrupted
from flybisect.judge import Judge
from flybisect.output import output_path
from flybisect.plugins import listing
from flybisect.reduce.passes import PASSES
from flybisect.reduce.select import select
from flybisect.report.flattened import notes
from flybisect.report.progress import progress
from flybisect.report.result import heading_for, print_result
from flybisect.report.resume import how_to_resume
from flybisect.session import open_session
from flybisect.workbench import Bench, Request, prepare


def reduce(
    context: typer.Context,
    script: options.Script,
    arguments: options.Arguments = None,
    oracle: options.OracleName = None,
    arch: options.Arch = None,
    flydsl: options.Flydsl = None,
    against_args: options.AgainstArgs = None,
    against_flydsl: options.AgainstFlydsl = None,
    against_arch: options.AgainstArch = None,
    when: options.When = None,
    pattern: options.Pattern = None,
    absent: options.Absent = None,
    stage: options.StageName = None,
    command: options.Command = None,
    same_as: options.SameAs = None,
    jobs: options.Jobs = None,
    timeout: options.Timeout = None,
    memory: options.Memory = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="OUT.py", help="Without it: SCRIPT.min.py in the session's folder."
        ),
    ] = None,
    passes: Annotated[
        str | None, typer.Option(metavar="A,B", help="Only these passes (see `flybisect passes`).")
    ] = None,
    skip_passes: Annotated[str | None, typer.Option(metavar="A,B", help="All passes but these.")] = None,
    require_sandbox: RequireSandbox = False,
    workdir: options.Workdir = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Reduce a script to the smallest one that still shows its bug."""
    chosen = select(PASSES, passes, skip_passes)
    notify = notifier(quiet)
    bench = prepare(
        Request(
            script=script,
            argv=options.argv(arguments, context.obj),
            arch=arch,
            flydsl=flydsl,
            oracle=oracle,
            against=options.against(against_args, against_flydsl, against_arch),
            when=when,
            sought=options.sought(pattern, absent, stage, command, same_as),
            timeout=timeout,
            memory=memory,
            jobs=jobs,
            workdir=workdir,
        ),
        notify,
    )
    with open_session(bench.workdir, bench.case, bench.source, bench.toolchain_keys) as session:
        resuming.remember(session.folder, context.obj)
        out = output_path(output, session.folder, bench.case)
        for warning in session.warnings:
            notify(warning)
        try:
            with bench.judge(session.journal) as judge:
                judge.repeats.notify = notify
                reducing.pin(judge, bench.source, bench.case.script.name, listing().plugins)
                one = reducing.flattened(judge, bench.script)
                for note in notes(one):
                    notify(note)
                with progress(judge, one.source, chosen, quiet) as show:
                    drawn = Curve(session.folder, judge, one.source)
                    try:
                        notice = drawn.noting(show.step)
                        found = reducing.search(judge, session, one.source, chosen, notice)
                    finally:
                        drawn.save()
                    show.verifying(found.text)
                    named = one.called(bench.case.script)
                    case = replace(bench.case, oracle=_pinned(bench, judge), script=named)
                    heading = heading_for(
                        replace(bench, case=case, script=one), out, _choice(passes, skip_passes)
                    )
                    result = reducing.finish(judge, session, one.source, found, out, heading)
        except (Interrupted, OSError, sqlite3.Error):
            print(how_to_resume(session, context.obj), file=sys.stderr)
            raise
    print_result(result, json)
    if not result.verified_cold:
        raise typer.Exit(1)


def _pinned(bench: Bench, judge: Judge) -> str | None:
    """The oracle as it is named in a command: `auto` is by now another one."""
    return judge.oracle.name if bench.case.oracle == "auto" else bench.case.oracle


def _choice(passes: str | None, skip_passes: str | None) -> list[str]:
    return [
        *(["--passes", passes] if passes is not None else []),
        *(["--skip-passes", skip_passes] if skip_passes is not None else []),
    ]


def add_to(app: typer.Typer) -> None:
    app.command()(reduce)
