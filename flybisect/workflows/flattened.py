"""What is said of a flattened script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flybisect.case.flattened_script import FlattenedScript
from flybisect.source.source import count_statements


def notes(script: FlattenedScript) -> Iterator[str]:
    """Lines for a person."""
    if script.problem is not None:
        yield f"not flattened: {script.problem}"
    elif script.modules:
        count = len(script.modules)
        yield f"flattened {count} local module{'s' if count > 1 else ''} into the script"
    for name, why in script.left:
        yield f"left imported: {name} ({why})"


def files_note(files: Sequence[str]) -> Iterator[str]:
    """A line about Python files that a script runs and that are no part of it."""
    if files:
        are, them = ("are", "they are") if len(files) > 1 else ("is", "it is")
        yield (
            f"{', '.join(files)} {are} read from beside the script and {are} not part of it; {them} not "
            "reduced, and the bundle of a report holds a copy"
        )


def as_dict(script: FlattenedScript) -> dict[str, Any]:
    """For `--json`. `script` is the text."""
    text = script.text if script.flat is None else script.flat
    return {
        "script": text,
        "modules": list(script.modules),
        "left": [{"module": name, "why": why} for name, why in script.left],
        "statements_before": count_statements(script.text),
        "statements_after": count_statements(text),
    }
