"""`flybisect passes`."""

from __future__ import annotations

import typer

from flybisect.reduce.passes import PASSES


def passes() -> None:
    """List the reducer's passes, in the order in which they are tried."""
    summaries = {each.name: each.summary for each in PASSES}  # some have more than one turn
    width = max(map(len, summaries))
    for name, summary in summaries.items():
        print(f"{name.ljust(width)}  {summary}")


def add_to(app: typer.Typer) -> None:
    app.command()(passes)
