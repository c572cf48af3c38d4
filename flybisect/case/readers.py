"""From a value that a person wrote, in a file or as an option, to what a case holds.

Every reader takes the value, `where` it stands (for errors: `case.yaml: arch` or `--arch`), and the folder
that relative paths are meant from. It raises UserError where the value is wrong.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flybisect.case.command_paths import with_absolute_paths
from flybisect.case.variables import Variables, given, in_file
from flybisect.case.yaml_file import LARGEST_NUMBER, checked_text, expanded, shown
from flybisect.errors import UserError

Reader = Callable[[Any, str, Path], Any]


def text(value: Any, where: str, folder: Path) -> str:
    return checked_text(value, where)


def texts(value: Any, where: str, folder: Path) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    if any(isinstance(each, str) and not each.strip() for each in listed):
        raise UserError(f"{where} is empty; leave it out, or say something")
    if not all(isinstance(each, str) for each in listed):
        raise UserError(f"{where} should be a text or a list of texts, not {shown(value)}")
    return tuple(str(each) for each in listed)


def flag(value: Any, where: str, folder: Path) -> bool:
    if not isinstance(value, bool):
        raise UserError(f"{where} should be true or false, not {shown(value)}")
    return value


def number(least: float, most: float, kind: type[int] | type[float]) -> Reader:
    def read(value: Any, where: str, folder: Path) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
            raise UserError(f"{where} should be a number from {least:g} to {most:g}, not {shown(value)}")
        return kind(value)

    return read


def arguments(value: Any, where: str, folder: Path) -> tuple[str, ...]:
    """A command line's words, in one text or as a list."""
    if isinstance(value, str):
        return split_args(value, where)
    if isinstance(value, list) and all(
        isinstance(each, str) or (type(each) in (int, float) and abs(each) < LARGEST_NUMBER) for each in value
    ):
        return tuple(str(each) for each in value)
    raise UserError(f"{where} should be a text or a list of texts, not {shown(value)}")


def split_args(line: str, where: str) -> tuple[str, ...]:
    """Arguments as a shell splits them. Raises UserError on an open quote."""
    try:
        return tuple(shlex.split(line))
    except ValueError as error:
        raise UserError(f"{where}: {error} in {shown(line)}") from error


def variables(value: Any, where: str, folder: Path) -> Variables:
    """A mapping, as in a file."""
    return in_file(value, where)


def variable_options(value: Any, where: str, folder: Path) -> Variables:
    """Values of `--env`; a name alone takes this process's value."""
    return given(value, os.environ)


def path(value: Any, where: str, folder: Path) -> Path:
    return folder / expanded(text(str(value) if isinstance(value, Path) else value, where, folder))


def flydsl(value: Any, where: str, folder: Path) -> str:
    """A folder by its absolute path, so that the same command from elsewhere is the same case."""
    spec = text(value, where, folder)
    return str(folder / expanded(spec)) if "/" in spec or _is_folder(folder / spec) else spec


def flydsls(value: Any, where: str, folder: Path) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    written = [str(each) if isinstance(each, float) else each for each in listed]
    return tuple(flydsl(each, where, folder) for each in texts(written, where, folder))


def oracle(value: Any, where: str, folder: Path) -> str:
    """A file by its absolute path; else a name."""
    name = text(value, where, folder)
    return str(folder / expanded(name)) if name.endswith((".py", ".yaml", ".yml")) else name


def command(value: Any, where: str, folder: Path) -> str:
    return with_absolute_paths(text(value, where, folder), folder)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a name that no file system takes
        return False
