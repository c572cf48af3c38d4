"""Options that say what is studied, made of the fields of `Case`: a new field needs nothing here."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from flybisect.case.case import Baseline, Case
from flybisect.case.declared import Declaration, declarations, option_name
from flybisect.cli import completion

Command = Callable[..., None]
SHARED = (
    *("argv", "env", "oracle", "arch", "baseline", "when", "pattern", "absent", "stage", "command"),
    *("same_as", "timeout", "memory", "workdir", "scheduler"),
)
"""Fields that every command about one bug has options for."""


@dataclass(frozen=True)
class _Entry:
    parameter: str
    """Of the function that typer calls."""
    field: str
    inner: str
    """Field of the baseline; else empty."""
    declared: Declaration
    option: str
    """Empty for an argument."""

    def as_parameter(self) -> inspect.Parameter:
        found, least, most = self.declared, *self.declared.bounds
        complete = None if found.completion is None else getattr(completion, found.completion)
        shown: Any = (
            typer.Option(
                self.option,
                metavar=found.metavar,
                help=found.help,
                min=least,
                max=most,
                autocompletion=complete,
            )
            if self.option
            else typer.Argument(metavar=found.metavar, help=found.help)
        )
        annotated: Any = Annotated
        annotation = annotated[found.kind | None, shown]
        return inspect.Parameter(
            self.parameter, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
        )


def takes_case(*more: str, shared: Sequence[str] = SHARED) -> Callable[[Command], Command]:
    """For a command with a parameter `request`, a Case: options for these fields stand in its place."""

    def decorated(command: Command) -> Command:
        entries = list(_entries((*shared, *more)))
        hints = typing.get_type_hints(command, include_extras=True)
        own = [
            each.replace(annotation=hints[each.name])
            for each in inspect.signature(command).parameters.values()
            if each.name != "request"
        ]

        @functools.wraps(command)
        def parsed(**given: Any) -> None:
            values = {each.parameter: given.pop(each.parameter) for each in entries}
            bare = "context" in given and given["context"].obj[-1:] == ("--",)
            command(**given, request=_case(entries, values, no_arguments=bare))

        # What all commands have stands first in the help, behind the arguments.
        leading = [each for each in own if each.kind is not inspect.Parameter.KEYWORD_ONLY]
        made = [each.as_parameter() for each in entries]
        parameters = [*leading, *made, *(each for each in own if each not in leading)]
        parsed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        parsed.__annotations__ = {each.name: each.annotation for each in parameters}
        return parsed

    return decorated


def _entries(names: Sequence[str]) -> Iterator[_Entry]:
    known = {each.name: found for each, found in declarations(Case)}
    for name in names:
        found = known[name]
        if name == "baseline":
            for each, inner in declarations(Baseline):
                option = option_name(found.key, inner.key)
                yield _Entry(f"{found.key}_{inner.key}", name, each.name, inner, option)
        else:
            yield _Entry(name, name, "", found, "" if name == "argv" else option_name(found.key))


def _case(entries: Sequence[_Entry], values: Mapping[str, Any], *, no_arguments: bool) -> Case:
    """A bare `--` at the end says that the script has no arguments. Raises UserError."""
    case, baseline = Case(argv=() if no_arguments else None), Baseline()
    for entry in entries:
        value = values[entry.parameter]
        if value is None or value == []:
            continue
        read = entry.declared.read_option(value, entry.option, Path.cwd())
        if entry.inner:
            baseline = replace(baseline, **{entry.inner: read})
        else:
            case = replace(case, **{entry.field: read})
    return case if baseline == Baseline() else replace(case, baseline=baseline)
