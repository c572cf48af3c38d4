"""Fields that say all there is about them: how a value is read, in which files it may stand, its option.

Files, options and shown commands are read and written from these declarations alone.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from flybisect.case.readers import Reader

CASE_FILE = "case.yaml"
DEFAULTS_FILE = "flybisect.yaml"
BOTH = (CASE_FILE, DEFAULTS_FILE)
Record = TypeVar("Record")


@dataclass(frozen=True)
class Declaration:
    """Of one field."""

    read: Reader
    help: str
    """Of its option; empty where it has none."""
    metavar: str | None
    kind: Any
    """The type that typer reads."""
    completion: str | None
    """Name of the function in `flybisect.cli.completion`."""
    bounds: tuple[float | None, float | None]
    read_option: Reader
    key: str
    """In files."""
    files: tuple[str, ...]
    """In which it may stand."""


def declared(
    read: Reader,
    help: str = "",
    metavar: str | None = None,
    kind: Any = str,
    *,
    default: Any = None,
    completion: str | None = None,
    bounds: tuple[float | None, float | None] = (None, None),
    read_option: Reader | None = None,
    key: str = "",
    files: tuple[str, ...] = (CASE_FILE,),
) -> Any:
    """A field of a dataclass. `key`: empty for the field's own name; `read_option`: None for `read`."""
    made = Declaration(read, help, metavar, kind, completion, bounds, read_option or read, key, files)
    return field(default=default, metadata={"declaration": made})


def declarations(of: Any) -> Iterator[tuple[Field[Any], Declaration]]:
    """Of a dataclass, or of one of its instances."""
    for each in fields(of):
        found: Declaration = each.metadata["declaration"]
        yield each, found if found.key else replace(found, key=each.name)


def keys(of: type, file: str) -> tuple[str, ...]:
    """What may stand in a file."""
    return tuple(found.key for _, found in declarations(of) if file in found.files)


def read(into: Record, data: Mapping[str, Any], where: str, folder: Path) -> Record:
    """`into` with what a mapping says, whose keys were checked. Raises UserError."""
    said = {
        each.name: found.read(data[found.key], f"{where}: {found.key}", folder)
        for each, found in declarations(into)
        if data.get(found.key) is not None
    }
    return replace(into, **said)  # type: ignore[type-var]


def said(record: Any) -> dict[str, Any]:
    """The values of fields that are not at their default, by name."""
    return {each.name: getattr(record, each.name) for each in fields(record) if not _silent(record, each)}


def written(record: Any) -> dict[str, Any]:
    """As plain data for a case file."""
    return {
        found.key: _plain(getattr(record, each.name))
        for each, found in declarations(record)
        if CASE_FILE in found.files and not _silent(record, each)
    }


def as_words(record: Any, names: Iterable[str], prefix: str = "") -> list[str]:
    """Options of a command line that say these fields, as far as they say anything."""
    values, known = said(record), {each.name: found for each, found in declarations(record)}
    named = [
        (option_name(prefix, known[name].key), known[name], values[name]) for name in names if name in values
    ]
    return [word for option, found, value in named for word in _words(option, found, value)]


def _words(option: str, found: Declaration, value: Any) -> list[str]:
    if is_dataclass(value):
        return as_words(value, (each.name for each in fields(value)), found.key)
    if isinstance(value, bool):
        return [option] if value else []
    if isinstance(value, tuple) and found.kind is str:
        return [option, shlex.join(value)]
    each_value = value if isinstance(value, tuple) else (value,)
    texts = ("=".join(each) if isinstance(each, tuple) else str(each) for each in each_value)
    return [word for text in texts for word in (option, text)]


def option_name(*parts: str) -> str:
    """Of a field's keys, from outside in: `--against-args`."""
    return "--" + "-".join(filter(None, parts)).replace("_", "-")


def _silent(record: Any, each: Field[Any]) -> bool:
    value = getattr(record, each.name)
    return type(value) is type(each.default) and bool(value == each.default)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return written(value)
    if isinstance(value, tuple):
        return dict(value) if value and isinstance(value[0], tuple) else list(value)
    return str(value) if isinstance(value, Path) else value
