"""`flybisect check`."""

from __future__ import annotations

from typing import Annotated

import typer

from flybisect.checking import check as check_once
from flybisect.commands import options
from flybisect.commands.grouped import takes_group
from flybisect.commands.notify import notifier
from flybisect.commands.studied import Bug
from flybisect.report.asjson import print_json
from flybisect.report.checked import print_check
from flybisect.trials import Forgetful
from flybisect.variables import say_missing
from flybisect.workbench import prepare


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
    with bench.judge(Forgetful()) as judge:
        found = check_once(judge, bench.source, signature)
    missing = say_missing(judge.unset, notify)
    if bug.json:
        print_json({**found.to_dict(), "missing_variables": missing})
    else:
        print_check(found)
    raise typer.Exit(found.exit_code)


def add_to(app: typer.Typer) -> None:
    app.command()(check)
