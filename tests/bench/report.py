"""What a bench found: tables for people, JSON for programs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.machine import described

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
RESULTS = ROOT / "tests" / "bench" / "results"
SCRATCH = ROOT / "workdirs" / "bench"
"""Releases that benches install, and results that are not kept."""

Cell = str | int | float | bool | None


@dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    notes: tuple[str, ...] = ()
    """Sentences below it."""

    def markdown(self) -> str:
        lines = [self.columns, tuple("---" for _ in self.columns)]
        lines += [tuple(shown(cell) for cell in row) for row in self.rows]
        table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return "\n\n".join([f"**{self.title}**", table, *self.notes])


@dataclass(frozen=True)
class Report:
    name: str
    """Of the bench; names its JSON and its place on the page."""
    tables: tuple[Table, ...]
    data: dict[str, Any]
    """All that was measured, for the JSON."""

    def markdown(self, machine: dict[str, str | float]) -> str:
        tables = (table.markdown() for table in self.tables)
        return "\n\n".join(
            [*tables, f"Measured with `python -m tests.bench {self.name}` on {described(machine)}."]
        )


def tell(line: str) -> None:
    """For whoever waits."""
    print(line, file=sys.stderr, flush=True)


def shown(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.2f}" if abs(cell) < 10 else f"{cell:.0f}"
    return f"{cell:,}" if isinstance(cell, int) else cell.replace("|", "\\|")


def write(report: Report, machine: dict[str, str | float], keep: bool) -> str:
    """The report as Markdown. Its JSON goes to the scratch folder; to keep it, to the repository, and the
    tables into the page."""
    text = report.markdown(machine)
    folder = RESULTS if keep else SCRATCH
    folder.mkdir(parents=True, exist_ok=True)
    data = {"bench": report.name, "machine": machine, **report.data}
    (folder / f"{report.name}.json").write_text(json.dumps(data, indent=2) + "\n")
    if keep:
        PAGE.write_text(placed(PAGE.read_text(), report.name, text))
    return text


def placed(page: str, name: str, text: str) -> str:
    """The page with the text between the bench's marks. Raises ValueError where the page has none."""
    marks = re.compile(rf"(<!-- bench: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    if marks.search(page) is None:
        raise ValueError(f"the page has no place for the bench {name!r}")
    return marks.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page)
