"""The case that was reduced last."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from flybisect.case.atomic_file import read_text
from flybisect.case.case import Case, load
from flybisect.case.declared import CASE_FILE
from flybisect.errors import UserError


def last_reduction(workdir: Path) -> Case:
    """With the reduced script in place of the one that it was made of, and the oracle that `auto` became.

    Raises UserError without one.
    """
    found = sorted(
        (path for path in (workdir / "sessions").glob("*/result.json") if _output(path) is not None),
        key=lambda path: path.stat().st_mtime,
    )
    if not found:
        raise UserError(
            f"nothing was reduced in {workdir} yet; name a script, a case file or a folder with --case"
        )
    output = _output(found[-1])
    assert output is not None
    case = replace(load(found[-1].parent / CASE_FILE), script=output)
    settled = _text(found[-1], "oracle") if case.oracle == "auto" else None
    return case if settled is None else replace(case, oracle=settled)


def _output(result: Path) -> Path | None:
    """The reduced script that a session came to, where it is one of a reduction and still there."""
    named = _text(result, "output")
    path = None if named is None else Path(named)
    return path if path is not None and path.is_file() else None


def _text(result: Path, key: str) -> str | None:
    try:
        data = json.loads(read_text(result))
    except (OSError, ValueError):
        return None
    value = data.get(key) if isinstance(data, dict) else None
    return value if isinstance(value, str) else None
