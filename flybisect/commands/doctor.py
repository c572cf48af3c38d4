"""`flybisect doctor`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from flybisect.commands import options
from flybisect.probe.inside.landlock import abi
from flybisect.probe.runner import confinement
from flybisect.report.asjson import print_json
from flybisect.report.machine import print_checks
from flybisect.toolchain.doctor import Check, Machine, State, examine, usable
from flybisect.workbench import workdir_of

WHOLE_LANDLOCK = 4
"""The version of Landlock's interface from which on it bounds the network too."""


def doctor(workdir: options.Workdir = None, json: options.Json = False) -> None:
    """Say what this machine has of what is needed, and what to do about the rest."""
    checks = examine(Machine(workdir_of(workdir, Path.cwd())), more=[_confinement()])
    if json:
        data = {"usable": usable(checks), "checks": [asdict(check) for check in checks]}
        print_json(data)
    else:
        print_checks(checks)
    if not usable(checks):
        raise typer.Exit(1)


def _confinement() -> Check:
    """A reduced script runs code that nobody wrote."""
    found = "; ".join(confinement())
    if abi() >= WHOLE_LANDLOCK:
        return Check("confinement", State.OK, found)
    return Check(
        "confinement", State.WARN, found, "a Linux 6.7 or newer with Landlock confines trials wholly"
    )


def add_to(app: typer.Typer) -> None:
    app.command()(doctor)
