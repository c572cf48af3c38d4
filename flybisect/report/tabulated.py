"""What `flybisect matrix` prints: text, Markdown, or an object for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flybisect.bisecting.matrix import changes
from flybisect.bisecting.tried import Tried
from flybisect.report.failure import failure_line
from flybisect.report.figures import number
from flybisect.search.bisect import Side

FIGURES = (
    ("VGPRs", "vgprs"),
    ("AGPRs", "agprs"),
    ("VGPR spills", "vgpr_spills"),
    ("scratch", "scratch_bytes"),
)
"""Column and metric; a column of zeros is left out."""


def print_matrix(rows: Sequence[Tried]) -> None:
    """Aligned text; a mark stands where something changes."""
    head, *cells = _cells(rows)
    widths = [max(len(line[at]) for line in (head, *cells)) for at in range(len(head))]
    changed = {other.at for _, other in changes(rows)}
    for line, at in zip((head, *cells), (None, *(row.at for row in rows)), strict=True):
        padded = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        print(("> " if at in changed else "  ") + "  ".join(padded).rstrip())
    if changed:
        print("> marks a release that differs from the one before")


def as_markdown(rows: Sequence[Tried]) -> str:
    """A table that GitHub renders; the release where something changes is in bold."""
    head, *cells = _cells(rows)
    changed = {other.at for _, other in changes(rows)}
    lines = [head, ["---"] * len(head)]
    for line, row in zip(cells, rows, strict=True):
        name = f"**{line[0]}**" if row.at in changed else line[0]
        lines.append([name, *line[1:-1], _code(line[-1])])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def as_dict(script: Path, rows: Sequence[Tried]) -> dict[str, Any]:
    """For `--json`."""
    return {
        "script": str(script),
        "releases": [{"version": row.name, **row.to_dict()} for row in rows],
        "changes": [
            {"after": one.name, "at": other.name, "from": one.signature, "to": other.signature}
            for one, other in changes(rows)
        ],
    }


def _cells(rows: Sequence[Tried]) -> list[list[str]]:
    metrics = [{} if row.observation is None else row.observation.metrics() for row in rows]
    shown = [(title, name) for title, name in FIGURES if any(found.get(name) for found in metrics)]
    head = ["FlyDSL", "verdict", *(title for title, _ in shown), "failure"]
    lines = [
        [row.name, row.side.value, *(_figure(found.get(name)) for _, name in shown), _failure(row)]
        for row, found in zip(rows, metrics, strict=True)
    ]
    return [head, *lines]


def _figure(value: int | None) -> str:
    return "-" if value is None else number(value)


def _failure(row: Tried) -> str:
    found = None if row.observation is None else failure_line(row.observation)
    return found or (row.verdict.why if row.side is Side.SKIP else "")


def _code(text: str) -> str:
    if not text:
        return ""
    return "`" + text.replace("`", "'").replace("|", r"\|") + "`"
