"""What a path on the command line stands for: a script, a case, or a test of a pytest file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from flybisect.case.case import Case, find
from flybisect.case.flattened_script import FlattenedScript, flattened_script
from flybisect.case.pytest_target import Collect, target_script
from flybisect.case.script_file import read_script
from flybisect.errors import UserError


@dataclass(frozen=True)
class ResolvedPath:
    """The case, and the script's text as trials take it."""

    case: Case
    script: FlattenedScript


def subject_of(path: Path, collecting: Callable[[Case, str], Collect]) -> ResolvedPath:
    """Raises UserError when there is no such thing, or it is no Python that can be read.

    `collecting` gives what collects a test file in a trial, from the case and the file's text.
    """
    file, test = split_target(path)
    case = find(file)
    named = file.suffix not in (".yaml", ".yml") and file.is_file()
    text = read_script(case.script, shown=file if named else case.script)
    if test is None:
        return ResolvedPath(case, flattened_script(case.script, text))
    if not named:
        raise UserError(f"{path}: only a Python file has tests")
    return ResolvedPath(case, target_script(case.script, text, test, collecting(case, text)))


def split_target(path: Path) -> tuple[Path, str | None]:
    """`tests/test_x.py::test_y[64]` → the file and the test; None for a path without `::`."""
    text = str(path)
    if "::" not in text or path.exists():
        return path, None
    file, _, test = text.partition("::")
    return Path(file), test
