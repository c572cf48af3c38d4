"""The options of commands that are about what a session found."""

from __future__ import annotations

from typing import Annotated

import typer

from flybisect.cli import completion as completing

SessionName = Annotated[
    str | None,
    typer.Argument(
        metavar="SESSION",
        autocompletion=completing.session,
        help="As `flybisect sessions` names it, or how that begins; else the last one.",
    ),
]
Repo = Annotated[
    str | None,
    typer.Option(
        metavar="PATH|URL",
        help="A clone of FlyDSL, which knows the commits of releases; else as `flybisect commits` has it.",
    ),
]
