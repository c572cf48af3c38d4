"""Options in groups: typer makes options of a function's parameters and knows no groups of them."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable


def takes_group(command: Callable[..., None]) -> Callable[..., None]:
    """`command` with its one parameter that is a dataclass replaced by a parameter for each field.

    The fields' annotations are those of options, as `flybisect.cli.options` has them.
    """
    hints = typing.get_type_hints(command, include_extras=True)
    hints.pop("return", None)
    name, group = next((name, hint) for name, hint in hints.items() if dataclasses.is_dataclass(hint))
    types = typing.get_type_hints(group, include_extras=True)
    own = [
        each.replace(annotation=hints[each.name])
        for each in inspect.signature(command).parameters.values()
        if each.name != name
    ]
    kind = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(field.name, kind, default=field.default, annotation=types[field.name])
        for field in dataclasses.fields(group)
    ]

    @functools.wraps(command)
    def shown(**given: object) -> None:
        values = {each.name: given.pop(each.name) for each in shared}
        command(**given, **{name: typing.cast(Callable[..., object], group)(**values)})

    # What all commands have stands first in the help, behind the arguments.
    leading = [each for each in own if each.kind is not kind]
    parameters = [*leading, *shared, *(each for each in own if each.kind is kind)]
    shown.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    shown.__annotations__ = {each.name: each.annotation for each in parameters}
    return shown
