"""Parts of what a session found, as files in its folder: each whole, or not there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from flybisect.case.atomic_file import read_text, write_text


class Part(str, Enum):
    """By its file's name."""

    CURVE = "curve.json"
    SHOWN = "shown.json"
    RELEASES = "releases.json"
    MATRIX = "matrix.json"
    VARIANTS = "variants.json"
    COMMITS = "commits.json"
    ENVIRONMENT = "environment.json"
    DUMP = "dump.json"
    STEPS = "steps.json"


def save_part(folder: Path, part: Part, data: Mapping[str, Any] | Sequence[Any]) -> None:
    write_text(folder / part.value, json.dumps(data, indent=1) + "\n")


def load_part(folder: Path, part: Part) -> Any:
    """None where it is not there, or cannot be read."""
    return read_json(folder / part.value)


def delete_part(folder: Path, part: Part) -> None:
    (folder / part.value).unlink(missing_ok=True)


def read_json(path: Path) -> Any:
    """None where it is not there, or is no JSON."""
    try:
        return json.loads(read_text(path))
    except (OSError, ValueError, RecursionError):
        return None
