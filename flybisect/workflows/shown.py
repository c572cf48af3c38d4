"""What a script shows: figures with assembly, failures, beside what the case compares with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flybisect.case.case import Case
from flybisect.judge.judge import Prober, Setting
from flybisect.observation import Observation
from flybisect.source.source import count_statements
from flybisect.workflows.compare import compile_under, figures
from flybisect.workflows.findings import Script, ScriptFigures

AS_IT_STANDS = "as it stands"


def show(case: Case, text: str, subject: Setting, base: Setting | None, title: str, prober: Prober) -> Script:
    """Compile it once, or twice with what it is compared with (called `title`)."""
    settings = [(AS_IT_STANDS, subject), *([(title, base)] if base is not None else [])]
    columns = compile_under(case, text, [setting for _, setting in settings], prober)
    return Script(
        text,
        count_statements(text),
        tuple(
            ScriptFigures(name, dict(figures(column.observation)), column.observation)
            for (name, _), column in zip(settings, columns, strict=True)
        ),
    )


def as_data(script: Script) -> dict[str, Any]:
    """For the session's folder."""
    return {
        "text": script.text,
        "columns": [
            {
                "title": column.title,
                "figures": dict(column.figures),
                "observation": json.loads(column.observation.to_json()),
            }
            for column in script.columns
        ],
    }


def from_data(data: Mapping[str, Any]) -> Script | None:
    """None where it was written by another version."""
    try:
        columns = tuple(
            ScriptFigures(
                each["title"], each["figures"], Observation.from_json(json.dumps(each["observation"]))
            )
            for each in data["columns"]
        )
        return Script(data["text"], count_statements(data["text"]), columns) if columns else None
    except (KeyError, TypeError, ValueError):
        return None
