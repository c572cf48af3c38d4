"""The options of commands that are about what a session found."""

from __future__ import annotations

from typing import Annotated

import typer

SessionName = Annotated[
    str | None,
    typer.Argument(
        metavar="SESSION", help="As `flybisect sessions` names it, or how that begins; else the last one."
    ),
]
Repo = Annotated[
    str | None,
    typer.Option(
        metavar="PATH|URL",
        help="A clone of FlyDSL, which knows the commits of releases; else as `flybisect commits` has it.",
    ),
]
