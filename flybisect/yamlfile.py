"""YAML files that people write, read with errors that people understand."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import yaml

from flybisect.errors import UserError

LARGEST = 1 << 20
"""Bytes of a file that is still read."""


def read_mapping(path: Path, known: Collection[str]) -> dict[str, Any]:
    """The mapping that a file holds. Raises UserError, naming every key that is not known."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise UserError(f"{path}: larger than {LARGEST >> 10} KiB; this is not a file of flybisect's")
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: is not UTF-8; save it as UTF-8") from error
    return parse_mapping(text, str(path), known)


def parse_mapping(text: str, origin: str, known: Collection[str]) -> dict[str, Any]:
    """As `read_mapping`, of a text; `origin` names it in errors."""
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{origin}: not YAML: {' '.join(str(error).split())}") from error
    return checked_mapping({} if data is None else data, origin, known)


def checked_mapping(data: object, origin: str, known: Collection[str]) -> dict[str, Any]:
    """`data` itself, when it is a mapping with known keys only; else UserError."""
    if not isinstance(data, dict):
        raise UserError(f"{origin}: should hold keys and values ({', '.join(sorted(known))})")
    unknown = [key for key in data if key not in known]
    if unknown:
        named = ", ".join(_named(key, known) for key in unknown)
        raise UserError(f"{origin}: unknown key {named}; known are {', '.join(sorted(known))}")
    return data


def _named(key: object, known: Collection[str]) -> str:
    close = difflib.get_close_matches(str(key), known, n=1)
    return f"{key!r} (did you mean {close[0]!r}?)" if close else f"{key!r}"


def text_at(data: dict[str, Any], key: str, origin: str) -> str | None:
    """A text, or a number written without quotes (`flydsl: 0.5` is one a person means as text).

    Raises UserError where it is empty or something else.
    """
    value = data.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise UserError(f"{origin}: {key} should be a text, not {value!r}")
    if not str(value).strip():
        raise UserError(f"{origin}: {key} is empty; leave it out, or say something")
    return str(value)


def number_at(data: dict[str, Any], key: str, origin: str, least: float, most: float) -> float | None:
    """A number from `least` to `most`. Raises UserError where it is something else."""
    value = data.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise UserError(f"{origin}: {key} should be a number from {least:g} to {most:g}, not {value!r}")
    return float(value)
