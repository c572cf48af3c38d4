"""`flybisect compare`."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from flybisect.case.request import CaseRequest
from flybisect.case.variables import given, say_missing
from flybisect.case.workdir import SESSIONS
from flybisect.cli import completion as completing
from flybisect.cli import options
from flybisect.cli.notify import notifier
from flybisect.cli.sandbox_option import RequireSandbox
from flybisect.probe.runner import Runner
from flybisect.terminal.compare import as_markdown, print_columns
from flybisect.terminal.json_output import print_json
from flybisect.workflows.compare import compare as compare_settings
from flybisect.workflows.prepare import prepare_comparison, workdir_of


def compare(
    script: options.Script,
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
    env: options.Env = None,
    arch: options.Arch = None,
    timeout: options.Timeout = None,
    memory: options.Memory = None,
    require_sandbox: RequireSandbox = False,
    workdir: options.Workdir = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compile a script under several arguments or FlyDSLs and show the figures side by side."""
    variables = given(env or (), os.environ)
    request = CaseRequest(
        script=script, arch=arch, timeout=timeout, memory=memory, workdir=workdir, env=variables
    )
    case, source, settings = prepare_comparison(request, args or (), flydsl or (), notifier(quiet))
    with (
        TemporaryDirectory(prefix="flybisect-", ignore_cleanup_errors=True) as scratch,
        Runner(Path(scratch), jobs=1, hidden=[workdir_of(workdir, case.script.parent) / SESSIONS]) as runner,
    ):
        columns = compare_settings(case, source, settings, runner)
    unset = {name for column in columns for name in column.observation.unset}
    missing = say_missing(unset, notifier(quiet))
    if json:
        data = {"script": str(case.script), "columns": [column.to_dict() for column in columns]}
        print_json({**data, "missing_variables": missing})
    elif markdown:
        print(as_markdown(columns))
    else:
        print_columns(columns)


def add_to(app: typer.Typer) -> None:
    app.command()(compare)
