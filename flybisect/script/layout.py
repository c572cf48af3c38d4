"""Moving statements to another indentation without touching what is inside their strings."""

from __future__ import annotations

import io
import tokenize

from flybisect.script.source import Source


def string_lines(source: Source) -> frozenset[int]:
    """1-based lines that begin inside a string, so that their leading white space is content."""
    found: set[int] = set()
    start_of_fstring: list[int] = []
    kinds = {getattr(tokenize, name, -1) for name in ("FSTRING_START", "TSTRING_START")}
    ends = {getattr(tokenize, name, -1) for name in ("FSTRING_END", "TSTRING_END")}
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type == tokenize.STRING:
            found.update(range(token.start[0] + 1, token.end[0] + 1))
        elif token.type in kinds:
            start_of_fstring.append(token.start[0])
        elif token.type in ends and start_of_fstring:
            found.update(range(start_of_fstring.pop() + 1, token.end[0] + 1))
    return frozenset(found)


def reindented(source: Source, start: int, end: int, indent: str) -> str:
    """The text of `[start, end)`, which begins with a statement, moved to another indentation.

    The first line is given without indentation, the others with `indent` in place of the
    white space that the first statement stands behind.
    """
    old = source.text[source.line_begin(start) : start]
    if old.strip():
        return source.text[start:end]
    keep = string_lines(source)
    lines = source.text[start:end].split("\n")
    first = source.line_of(start)
    for at in range(1, len(lines)):
        line = lines[at]
        if first + at not in keep and line.startswith(old) and line.strip():
            lines[at] = indent + line[len(old) :]
    return "\n".join(lines)
