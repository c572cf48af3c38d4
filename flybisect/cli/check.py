"""`flybisect check`."""

from __future__ import annotations

from typing import Annotated

import typer

from flybisect.case.variables import say_missing
from flybisect.cli import options
from flybisect.cli.notify import notifier
from flybisect.cli.option_groups import takes_group
from flybisect.cli.shared_options import Bug
from flybisect.judge.trials import NoMemory
from flybisect.terminal.check import print_check
from flybisect.terminal.json_output import print_json
from flybisect.workflows.check import check as check_once
from flybisect.workflows.prepare import prepare


@takes_group
def check(
    context: typer.Context,
    script: options.Script,
    *,
    signature: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only this bug, as an earlier run printed it.")
    ] = None,
    flydsl: options.Flydsl = None,
    bug: Bug,
) -> None:
    """Judge a script once. Exit code 0: interesting, 1: not, 125: cannot be judged."""
    notify = notifier(bug.quiet)
    bench = prepare(bug.about(script, context.obj, flydsl, jobs=1), notify)
    with bench.judge(NoMemory()) as judge:
        found = check_once(judge, bench.source, signature)
    missing = say_missing(judge.unset, notify)
    if bug.json:
        print_json({**found.to_dict(), "missing_variables": missing})
    else:
        print_check(found)
    raise typer.Exit(found.exit_code)


def add_to(app: typer.Typer) -> None:
    app.command()(check)
