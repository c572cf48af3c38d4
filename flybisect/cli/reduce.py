"""`flybisect reduce`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from flybisect.case.case import Case
from flybisect.cli import options
from flybisect.cli.case_options import takes_case
from flybisect.cli.resumable import resumable
from flybisect.cli.sandbox_option import RequireSandbox
from flybisect.reduce.passes import PASSES
from flybisect.reduce.select import select
from flybisect.terminal.live import watching
from flybisect.terminal.reduce import print_result
from flybisect.workflows import reduce as reducing


@takes_case("flydsl", "figure", "valid_on", "jobs")
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
    require_sandbox: RequireSandbox = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    request: Case,
) -> None:
    """Reduce a script to the smallest one that still shows its bug."""
    chosen, more = select(PASSES, passes, skip_passes), options.choice(passes, skip_passes)
    named = replace(request, script=script)
    with resumable(context.obj) as begun, watching("reduce", quiet) as show:
        result = reducing.reduce(named, chosen, show, output=output, more=more, begun=begun)
    print_result(result, json)
    if not result.verified_cold:
        raise typer.Exit(1)


def add_to(app: typer.Typer) -> None:
    app.command()(reduce)
