"""`flybisect doctor`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from flybisect.cli import options
from flybisect.probe.confinement import confinement
from flybisect.terminal.doctor import print_checks
from flybisect.terminal.json_output import print_json
from flybisect.toolchain.doctor import Machine, MachineCheck, State, examine, usable
from flybisect.workflows.prepare import workdir_of

_HELPS = (
    "unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces; in a "
    "container: --security-opt seccomp=unconfined) or Linux 6.12 with Landlock confine trials wholly; until "
    "then reduce only what you trust"
)


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


def _confinement() -> MachineCheck:
    """A reduced script runs code that nobody wrote."""
    found = confinement()
    said = "; ".join((*found.lacks, *found.holds, *found.noticed))
    if found.whole:
        return MachineCheck("confinement", State.OK, said)
    return MachineCheck("confinement", State.WARN, said, _HELPS)


def add_to(app: typer.Typer) -> None:
    app.command()(doctor)
