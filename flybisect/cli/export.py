"""`flybisect export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from flybisect.case.atomic_file import write_text
from flybisect.cli import options
from flybisect.cli import session_options as about
from flybisect.cli.notify import notifier
from flybisect.errors import UserError
from flybisect.report.regression import as_lit, as_pytest
from flybisect.report.session_report import report_of
from flybisect.report.verified_export import try_lit, try_pytest
from flybisect.terminal.json_output import print_json
from flybisect.workflows.prepare import workdir_of


def export(
    session: about.SessionName = None,
    pytest: Annotated[bool, typer.Option("--pytest", help="A test for pytest, of the script.")] = False,
    lit: Annotated[
        bool, typer.Option("--lit", help="An .mlir file for fly-opt and FileCheck, of the IR where it fails.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="Without it: standard output.")
    ] = None,
    workdir: options.Workdir = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a regression test that fails now. It is run before it is given out."""
    if pytest == lit:
        raise UserError("say which kind of test: --pytest or --lit")
    notify = notifier(quiet)
    shown = report_of(session, workdir_of(workdir, Path.cwd()), None, notify)
    text = (as_pytest if pytest else as_lit)(shown.found, shown.private)
    notify("running the test")
    (try_pytest if pytest else try_lit)(text, shown.found, shown.toolchain)
    if output is not None:
        write_text(output, text)
    if json:
        print_json(
            {
                "session": str(shown.found.folder),
                "output": None if output is None else str(output),
                "test": text,
            }
        )
    elif output is None:
        sys.stdout.write(text)
    else:
        print(output)


def add_to(app: typer.Typer) -> None:
    app.command()(export)
