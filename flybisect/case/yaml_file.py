"""YAML files that people write, read with errors that people understand."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Hashable
from pathlib import Path
from typing import Any, cast

import yaml
from yaml.composer import ComposerError
from yaml.constructor import ConstructorError
from yaml.error import Mark

from flybisect.errors import UserError

LARGEST = 1 << 18
"""Bytes of a file that is still read."""
LARGEST_NUMBER = 1e15
"""Of one that stands for a text."""
DEEPEST = 20
MOST = 5000
"""Values in one."""
LONGEST_ERROR = 300
SHOWN = 60
"""Characters of a value in an error."""


class _Loader(yaml.SafeLoader):
    """Without what makes a small file large, or means something else than it says: aliases, deep nesting, a
    key that stands twice, characters that no text has."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = self._count = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        mark = cast(Mark, event.start_mark)
        if isinstance(event, yaml.AliasEvent):
            raise ComposerError(None, None, "aliases (*name) are not taken; write it out", mark)
        self._depth, self._count = self._depth + 1, self._count + 1
        if self._depth > DEEPEST or self._count > MOST:
            raise ComposerError(None, None, "too many values, or nested too deeply", mark)
        node: yaml.Node | None = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    said = f"the key {shown(key.value)} stands twice"
                    raise ConstructorError(None, None, said, key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> str:
        text = str(super().construct_scalar(node))
        if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text):
            raise ConstructorError(None, None, "a text with a character that no text has", node.start_mark)
        return text


def shown(value: object) -> str:
    """For an error: as Python writes it, where that is short."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


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
        data = yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, ValueError, ArithmeticError, RecursionError) as error:
        why = " ".join(str(error).split())
        raise UserError(f"{origin}: not YAML: {why[:LONGEST_ERROR]}") from error
    return checked_mapping({} if data is None else data, origin, known)


def checked_mapping(data: object, origin: str, known: Collection[str]) -> dict[str, Any]:
    """`data` itself, when it is a mapping with known keys only; else UserError."""
    if not isinstance(data, dict):
        raise UserError(f"{origin}: should hold keys and values ({', '.join(sorted(known))})")
    unknown = [key for key in data if key not in known]
    if unknown:
        named = ", ".join(_named(key, known) for key in unknown[:3])
        raise UserError(f"{origin}: unknown key {named}; known are {', '.join(sorted(known))}")
    return data


def _named(key: object, known: Collection[str]) -> str:
    said = shown(key)
    close = difflib.get_close_matches(said.strip("'"), known, n=1)
    return f"{said} (did you mean {close[0]!r}?)" if close else said


def expanded(text: str) -> Path:
    """With the home folder for `~`; the name of a user whom nobody knows stays."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def text_at(data: dict[str, Any], key: str, origin: str) -> str | None:
    """As `checked_text`; None without that key."""
    value = data.get(key)
    return None if value is None else checked_text(value, f"{origin}: {key}")


def checked_text(value: object, where: str) -> str:
    """A text, or a number written without quotes (`flydsl: 0.5` is one a person means as text).

    Raises UserError where it is empty or something else.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise UserError(f"{where} should be a text, not {shown(value)}")
    if not isinstance(value, str) and not abs(value) < LARGEST_NUMBER:
        raise UserError(f"{where} should be a text, not {shown(value)}; write it in quotes")
    if not str(value).strip():
        raise UserError(f"{where} is empty; leave it out, or say something")
    return str(value)
