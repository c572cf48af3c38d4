"""What `flybisect compare` prints: columns side by side, in plain text or Markdown."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from flybisect.oracle.failure_line import failure_line
from flybisect.terminal.differences import difference_lines
from flybisect.workflows.compare import ComparedColumn, Comparison, rows


def print_comparison(comparison: Comparison) -> None:
    """The columns, and by how much the first differs from each other one."""
    columns = comparison.columns
    print_columns(columns)
    titles = _titles(columns)
    for title, each in zip(titles[1:], comparison.differences, strict=True):
        lines = difference_lines(each.figures)
        if lines:
            print(f"\n{titles[0]}, with {title} as base:")
        for line in lines:
            print(line)


def print_columns(columns: Sequence[ComparedColumn]) -> None:
    """Aligned text, and the failures below it."""
    cells = [["", *_titles(columns)], *_cells(columns)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
    for row in cells:
        first = row[0].ljust(widths[0])
        print(
            "  ".join([first, *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]).rstrip()
        )
    for line in _failures(columns):
        print(line)


def as_markdown(columns: Sequence[ComparedColumn]) -> str:
    """A table that GitHub renders, and the failures below it."""
    cells = [["", *(_code(title) for title in _titles(columns))], ["---", *("---:" for _ in columns)]]
    cells += _cells(columns)
    lines = [f"| {' | '.join(row)} |" for row in cells]
    failures = [f"- {line}" for line in _failures(columns)]
    return "\n".join([*lines, *([""] if failures else []), *failures])


def _titles(columns: Sequence[ComparedColumn]) -> list[str]:
    """What differs between the columns: the arguments, the FlyDSL, or both."""
    versions = {column.setting.toolchain.version for column in columns}
    argvs = {column.setting.argv for column in columns}
    titles = []
    for column in columns:
        args = shlex.join(column.setting.argv) or "no arguments"
        version = column.setting.toolchain.version
        if len(versions) == 1:
            titles.append(args)
        elif len(argvs) == 1:
            titles.append(version)
        else:
            titles.append(f"{args}, {version}")
    return titles


def _cells(columns: Sequence[ComparedColumn]) -> list[list[str]]:
    found = [[name, *("-" if n is None else str(n) for n in numbers)] for name, numbers in rows(columns)]
    failed = [failure_line(column.observation) is not None for column in columns]
    if any(failed):
        found.append(["outcome", *("fails" if bad else "ok" for bad in failed)])
    return found


def _failures(columns: Sequence[ComparedColumn]) -> Iterator[str]:
    for title, column in zip(_titles(columns), columns, strict=True):
        failure = failure_line(column.observation)
        if failure is not None:
            yield f"{title}: {failure}"
        elif not column.observation.kernels:
            yield f"{title}: compiled no kernel"


def _code(text: str) -> str:
    return f"`{text}`".replace("|", r"\|")
