"""What `flybisect doctor` prints for a person."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from flybisect.terminal.clean_text import console, visible
from flybisect.toolchain.doctor import MachineCheck, State

_STYLES = {State.OK: "green", State.WARN: "yellow", State.MISSING: "red"}


def print_checks(checks: Sequence[MachineCheck]) -> None:
    """One row each, with advice below what was found."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        table.add_row(check.name, f"[{_STYLES[check.state]}]{check.state.value}[/]", _plain(check.found))
        if check.advice:
            table.add_row("", "", f"[bold]{_plain(check.advice)}[/]")
    console().print(table)


def _plain(text: str) -> str:
    """Text in which brackets are not markup."""
    return visible(text).replace("[", r"\[")
