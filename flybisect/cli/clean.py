"""`flybisect clean`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from flybisect.cli import options
from flybisect.errors import UserError
from flybisect.session.disk import (
    format_size,
    remove,
    select_folders,
    stored_folders,
)
from flybisect.terminal.json_output import print_json
from flybisect.terminal.sessions import print_items
from flybisect.workflows.prepare import workdir_of


def clean(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="As listed, or how that begins: sessions, toolchains/flydsl-0.3.0, …; else all.",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Only list, with sizes.")] = False,
    workdir: options.Workdir = None,
    json: options.Json = False,
) -> None:
    """Free disk: list what the working folder holds, with sizes, and delete it after a question.

    Nothing is lost that can't be made again, but for what sessions found. Only when no flybisect is at work.
    """
    root = workdir_of(workdir, Path.cwd())
    found, missing = select_folders(stored_folders(root), names or [])
    if missing:
        raise UserError(f"{root} holds nothing called {missing[0]}…; `flybisect clean --dry-run` lists it")
    free = [item for item in found if not item.busy]
    total = sum(item.size for item in free)
    if not json:
        print_items(found)
        print(f"{format_size(total)} in {len(free)} folders below {root}")
    if free and not dry_run:
        if not yes and not _agreed(total, len(free)):
            raise typer.Exit(1)
        for item in free:
            remove(item)
    if json:
        listed = [{"name": item.name, "bytes": item.size, "in_use": item.busy} for item in found]
        print_json(
            {"workdir": str(root), "items": listed, "bytes": total, "deleted": bool(free) and not dry_run}
        )


def _agreed(total: int, count: int) -> bool:
    if not sys.stdin.isatty():
        raise UserError("nothing is deleted unasked: give --yes, or answer at a terminal")
    print(f"delete {count} folders, {format_size(total)}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def add_to(app: typer.Typer) -> None:
    app.command()(clean)
