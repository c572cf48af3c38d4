"""`flybisect flatten`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from flybisect.case.atomic_file import write_text
from flybisect.case.case import Case
from flybisect.case.subject import subject_of
from flybisect.cli import options
from flybisect.cli.case_options import takes_case
from flybisect.cli.notify import notifier
from flybisect.errors import UserError
from flybisect.terminal.json_output import print_json
from flybisect.workflows.flattened import as_dict, notes
from flybisect.workflows.output_path import output_path
from flybisect.workflows.prepare import collecting


@takes_case(shared=("arch", "workdir"))
def flatten(
    script: options.Script,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT.py", help="Without it: standard output."),
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    request: Case,
) -> None:
    """Make one plain script of a script, or of a pytest test, and the local modules that it imports."""
    notify = notifier(quiet)
    subject = subject_of(script, collecting(request, notify))
    found = subject.script
    if found.problem is not None:
        raise UserError(found.problem)
    out = None if output is None else output_path(output, subject.case.script.parent, subject.case)
    for note in notes(found):
        notify(note)
    text = found.text if found.flat is None else found.flat
    if out is not None:
        write_text(out, text)
    elif not json:
        sys.stdout.write(text)
    if json:
        print_json({"output": None if out is None else str(out), **as_dict(found)})


def add_to(app: typer.Typer) -> None:
    app.command()(flatten)
