"""`flybisect compare`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from flybisect.case.case import Case
from flybisect.case.readers import flydsl as read_flydsl
from flybisect.cli import completion as completing
from flybisect.cli import options
from flybisect.cli.case_options import takes_case
from flybisect.cli.notify import notifier
from flybisect.cli.sandbox_option import RequireSandbox
from flybisect.terminal.compare import as_markdown, print_comparison
from flybisect.terminal.json_output import print_json
from flybisect.workflows.compare import compare as compare_case


@takes_case(shared=("env", "arch", "timeout", "memory", "workdir"))
def compare(
    script: options.Script,
    *,
    args: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="Arguments of the script; repeatable.")
    ] = None,
    flydsl: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            autocompletion=completing.flydsl,
            help="`installed`, a version, or a folder; repeatable.",
        ),
    ] = None,
    require_sandbox: RequireSandbox = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    request: Case,
) -> None:
    """Compile a script under several arguments or FlyDSLs and show the figures side by side."""
    specs = [read_flydsl(each, "--flydsl", Path.cwd()) for each in flydsl or ()]
    found = compare_case(replace(request, script=script), args or (), specs, notifier(quiet))
    if json:
        print_json(found.to_dict())
    elif markdown:
        print(as_markdown(found.columns))
    else:
        print_comparison(found)


def add_to(app: typer.Typer) -> None:
    app.command()(compare)
