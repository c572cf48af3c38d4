"""Moving statements to another indentation without touching what is inside their strings."""

from __future__ import annotations

from flybisect.source.source import Source


def reindented(source: Source, start: int, end: int, indent: str) -> str:
    """The text of `[start, end)`, which begins with a statement, moved to another indentation.

    The first line is given without indentation, the others with `indent` in place of the
    white space that the first statement stands behind.
    """
    old = source.text[source.line_begin(start) : start]
    if old.strip():
        return source.text[start:end]
    keep = source.string_lines
    lines = source.text[start:end].split("\n")
    first = source.line_of(start)
    for at in range(1, len(lines)):
        line = lines[at]
        if first + at not in keep and line.startswith(old) and line.strip():
            lines[at] = indent + line[len(old) :]
    return "\n".join(lines)
