"""`flybisect oracles`."""

from __future__ import annotations

import sys

import typer

from flybisect.oracle.registry import listing


def oracles() -> None:
    """List the oracles that can be named after --oracle."""
    found = listing()
    width = max((len(plugin.name) for plugin in found.plugins), default=0)
    for plugin in found.plugins:
        print(f"{plugin.name.ljust(width)}  {plugin.summary}")
    for problem in found.problems:
        print(f"flybisect: {problem}", file=sys.stderr)


def add_to(app: typer.Typer) -> None:
    app.command()(oracles)
