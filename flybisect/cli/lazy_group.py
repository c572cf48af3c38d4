"""Commands that are imported once they are named, so that completing a line is quick."""

from __future__ import annotations

import copy
from importlib import import_module
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

NAMES = (
    *("reduce", "check", "flatten", "compare", "releases", "matrix", "commits", "run", "resume"),
    *("report", "export", "sessions", "show", "clean", "oracles", "passes", "doctor"),
)
"""In the order of the help."""
ELSEWHERE = {"show": "sessions"}
"""Modules of those that have none of their own name in this package."""


class Commands(dict[str, Any]):
    """A command by its name; typer wants a dictionary."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(NAMES))

    def __getitem__(self, name: str) -> Any:
        if super().__getitem__(name) is None:
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.callback()(_group)
            import_module(f"flybisect.cli.{ELSEWHERE.get(name, name)}").add_to(alone)
            self[name] = cast(TyperGroup, get_command(alone)).commands[name]
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default


def _group() -> None:
    """Makes one of an application with a single command."""


class Lazily(TyperGroup):
    """The group of all commands."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Names alone: what a command is for stands in its module."""
        named = copy.copy(self)
        named.commands = {name: TyperCommand(name) for name in self.commands}
        ctx.command = named
        try:
            return super().shell_complete(ctx, incomplete)
        finally:
            ctx.command = self
