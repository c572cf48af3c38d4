"""`flybisect resume`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from flybisect.cli import options
from flybisect.session import resume as resuming
from flybisect.workflows.heading import shell
from flybisect.workflows.prepare import workdir_of


def resume(
    context: typer.Context,
    session: Annotated[
        Path | None,
        typer.Argument(metavar="SESSION", help="A session's folder; without it, the one begun last."),
    ] = None,
    workdir: options.Workdir = None,
    quiet: options.Quiet = False,
) -> None:
    """Resume a session that was interrupted. Nothing that was tried is tried again."""
    command = resuming.find_command(session, workdir_of(workdir, Path.cwd()))
    os.chdir(command.folder)
    if not quiet:
        print(f"flybisect: {shell(['flybisect', *command.words])}", file=sys.stderr)
    application = context.find_root().command
    application.main(args=list(command.words), prog_name="flybisect", obj=command.words)


def add_to(app: typer.Typer) -> None:
    app.command()(resume)
