"""`flybisect doctor`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from flybisect.cli import options
from flybisect.terminal.doctor import print_checks
from flybisect.terminal.json_output import print_json
from flybisect.toolchain.doctor import usable
from flybisect.workflows.doctor import doctor as examine
from flybisect.workflows.prepare import workdir_of


def doctor(workdir: options.Workdir = None, json: options.Json = False) -> None:
    """Say what this machine has of what is needed, and what to do about the rest."""
    checks = examine(workdir_of(workdir, Path.cwd()))
    if json:
        print_json({"usable": usable(checks), "checks": [asdict(check) for check in checks]})
    else:
        print_checks(checks)
    if not usable(checks):
        raise typer.Exit(1)


def add_to(app: typer.Typer) -> None:
    app.command()(doctor)
