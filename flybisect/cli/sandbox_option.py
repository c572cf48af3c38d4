"""The option `--require-sandbox`, of every command that runs trials."""

from __future__ import annotations

from typing import Annotated

import typer

from flybisect.probe import confinement


def _required(wanted: bool) -> bool:
    """Raises UserError where it is wanted and this machine lacks something."""
    if wanted:
        confinement.require()
    return wanted


RequireSandbox = Annotated[
    bool,
    typer.Option(
        "--require-sandbox",
        callback=_required,
        help="Refuse to run a script where it cannot be confined wholly; `flybisect doctor` says what is.",
    ),
]
