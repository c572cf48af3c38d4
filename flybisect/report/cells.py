"""Tables of Markdown. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """A table that GitHub renders; `right` are the columns of numbers."""
    rule = ["---:" if at in right else "---" for at in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def code(text: str) -> str:
    """In a cell of a table; empty stays empty."""
    return inline(text).replace("|", r"\|")


def inline(text: str) -> str:
    """In a line; empty stays empty."""
    return "`" + text.replace("`", "'") + "`" if text else ""


def plain(text: str) -> str:
    """Foreign text in a line of Markdown: nothing in it becomes markup or a mention."""
    escaped = re.sub(r"([\\`*\[\]<>|#]|(?<!\w)_|_(?!\w))", r"\\\1", text)
    return escaped.replace("@", "@\u200b")


def fence(text: str, language: str = "") -> str:
    """A block of code, whatever the text contains."""
    marks = "```"
    while marks in text:
        marks += "`"
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


def merged(rows: Sequence[tuple[str, tuple[str, ...]]]) -> list[tuple[str, tuple[str, ...]]]:
    """Neighbours with equal cells as one row: `0.1.5 to 0.1.8`."""
    found = []
    for cells, group in groupby(rows, key=lambda row: row[1]):
        names = [name for name, _ in group]
        found.append((names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}", cells))
    return found
