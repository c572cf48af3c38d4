"""What `flybisect matrix` prints: text, Markdown, or an object for JSON."""

from __future__ import annotations

from collections.abc import Sequence

from flybisect.bisect.matrix import changes
from flybisect.bisect.test_record import TestRecord
from flybisect.oracle.failure_line import failure_line
from flybisect.search.bisect import Side
from flybisect.terminal.releases import figures
from flybisect.workflows.figures import number

FIGURES = (
    ("VGPRs", "vgprs"),
    ("AGPRs", "agprs"),
    ("VGPR spills", "vgpr_spills"),
    ("scratch", "scratch_bytes"),
)
"""Column and metric; a column of zeros is left out."""


BUG, WORDS = ">", "~"
"""Marks of a release that differs from the one before: in its result, or only in the message."""


def print_matrix(rows: Sequence[TestRecord], same_as: Sequence[str] = ()) -> None:
    """Aligned text, with marks where the result changes."""
    head, *cells = _cells(rows)
    widths = [max(len(line[at]) for line in (head, *cells)) for at in range(len(head))]
    marks = {change.at.at: WORDS if change.same_bug else BUG for change in changes(rows, same_as)}
    for line, at in zip((head, *cells), (-1, *(row.at for row in rows)), strict=True):
        padded = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        print(f"{marks.get(at, ' ')} " + "  ".join(padded).rstrip())
    if BUG in marks.values():
        print(f"{BUG} marks a release that differs from the one before")
    if WORDS in marks.values():
        print(f"{WORDS} marks a release that shows the same bug with another message than the one before")


def described(row: TestRecord) -> str:
    """One row on a line, for example `bad, vgprs 255`, for progress."""
    return ", ".join(part for part in (row.side.value, figures(row), _failure(row)) if part)


def as_markdown(rows: Sequence[TestRecord], same_as: Sequence[str] = ()) -> str:
    """A table that GitHub renders. A release that changes the result is bold; one that changes only the
    message is in italics."""
    head, *cells = _cells(rows)
    marks = {change.at.at: "*" if change.same_bug else "**" for change in changes(rows, same_as)}
    lines = [head, ["---"] * len(head)]
    for line, row in zip(cells, rows, strict=True):
        mark = marks.get(row.at, "")
        lines.append([f"{mark}{line[0]}{mark}", *line[1:-1], _code(line[-1])])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(rows: Sequence[TestRecord]) -> list[list[str]]:
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


def _failure(row: TestRecord) -> str:
    found = None if row.observation is None else failure_line(row.observation)
    return found or (row.verdict.why if row.side is Side.SKIP else "")


def _code(text: str) -> str:
    if not text:
        return ""
    return "`" + text.replace("`", "'").replace("|", r"\|") + "`"
