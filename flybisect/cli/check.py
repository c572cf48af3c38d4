"""`flybisect check`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from flybisect.case.case import Case
from flybisect.cli import options
from flybisect.cli.case_options import takes_case
from flybisect.cli.notify import notifier
from flybisect.cli.sandbox_option import RequireSandbox
from flybisect.terminal.check import print_check
from flybisect.terminal.json_output import print_json
from flybisect.workflows.check import check_case


@takes_case("flydsl", "figure")
def check(
    context: typer.Context,
    script: options.Script,
    *,
    signature: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only this bug, as an earlier run printed it.")
    ] = None,
    require_sandbox: RequireSandbox = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    request: Case,
) -> None:
    """Judge a script once. Exit code 0: interesting, 1: not, 125: cannot be judged."""
    found = check_case(replace(request, script=script), notifier(quiet), signature)
    if json:
        print_json(found.to_dict())
    else:
        print_check(found)
    raise typer.Exit(found.exit_code)


def add_to(app: typer.Typer) -> None:
    app.command()(check)
