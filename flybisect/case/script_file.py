"""Reading the script under study."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

from flybisect.errors import UserError
from flybisect.source.check import problem, unbound_names

LARGEST = 4 << 20
"""Bytes of a script that is still read."""


def read_script(path: Path, shown: Path) -> str:
    """The text, line ends as they are, without a byte order mark. `shown` names it in errors.

    Raises UserError when it is no file, is not UTF-8, or does not parse.
    """
    if path.is_dir():
        raise UserError(f"{shown} is a folder, not a script")
    try:
        with path.open("rb") as file:
            # Never more, whatever is behind the name: a device has no end.
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise UserError(f"there is no file {shown}") from None
    except OSError as error:
        raise UserError(f"{shown} cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise UserError(f"{shown} is larger than {LARGEST >> 20} MiB; this is not a kernel script")
    text = _decoded(data, shown)
    found = problem(text, _unbound(text))
    if found is not None:
        raise UserError(f"{shown} does not parse: {found}")
    return text


def _decoded(data: bytes, shown: Path) -> str:
    """Candidates are written as UTF-8, so a script in another encoding would not come back as it was."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(f"{shown} is not UTF-8 in line {line}; save it as UTF-8") from error
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        raise UserError(f"{shown} does not parse: {error.msg}") from error
    if encoding not in ("utf-8", "utf-8-sig") and not data.isascii():
        raise UserError(f"{shown} says that it is written in {encoding}; save it as UTF-8")
    return text


def _unbound(text: str) -> frozenset[str]:
    """Whatever the script plays with `exec` for is its own affair."""
    try:
        return unbound_names(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
