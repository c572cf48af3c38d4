"""A parsed script: its tree, and where each node stands in the text."""

from __future__ import annotations

import ast
import io
import tokenize
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property

_BLANK = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True)
class Token:
    """One of Python's tokens, and the span of its text."""

    start: int
    end: int
    text: str


class Source:
    """A script's text and tree. Offsets are in characters, ends exclusive.

    Raises SyntaxError (or ValueError for a null byte) when the text does not parse.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of each line's first character, one more for the end of the text.

        Python's lexer ends lines at `\\n`, `\\r\\n` and `\\r` alone, never at a form feed, so
        `str.splitlines` would count otherwise.
        """
        starts = [0]
        text = self.text
        for at, char in enumerate(text):
            if char == "\n" or (char == "\r" and text[at + 1 : at + 2] != "\n"):
                starts.append(at + 1)
        starts.append(len(text))
        return starts

    @cached_property
    def _ascii(self) -> bool:
        return self.text.isascii()

    def offset(self, line: int, column: int) -> int:
        """Of a 1-based line and a column in UTF-8 bytes, as `ast` counts them."""
        start = self.line_starts[line - 1]
        if self._ascii:
            return start + column
        head = self.text[start : self.line_starts[line]].encode("utf-8", "surrogatepass")[:column]
        return start + len(head.decode("utf-8", "surrogatepass"))

    @cached_property
    def string_lines(self) -> frozenset[int]:
        """1-based lines that begin inside a string, so that their leading white space is content."""
        found: set[int] = set()
        start_of_fstring: list[int] = []
        kinds = {getattr(tokenize, name, -1) for name in ("FSTRING_START", "TSTRING_START")}
        ends = {getattr(tokenize, name, -1) for name in ("FSTRING_END", "TSTRING_END")}
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.STRING:
                found.update(range(token.start[0] + 1, token.end[0] + 1))
            elif token.type in kinds:
                start_of_fstring.append(token.start[0])
            elif token.type in ends and start_of_fstring:
                found.update(range(start_of_fstring.pop() + 1, token.end[0] + 1))
        return frozenset(found)

    @cached_property
    def tokens(self) -> list[Token]:
        """All tokens but comments, line ends and indentation."""
        readline = io.StringIO(self.text).readline
        return [
            Token(self._place(token.start), self._place(token.end), token.string)
            for token in tokenize.generate_tokens(readline)
            if token.type not in _BLANK
        ]

    def _place(self, place: tuple[int, int]) -> int:
        """Offset of a 1-based line and a column in characters, as `tokenize` counts them."""
        return self.line_starts[place[0] - 1] + place[1]

    @cached_property
    def _token_starts(self) -> list[int]:
        return [token.start for token in self.tokens]

    def token_at(self, offset: int) -> int:
        """Position in `tokens` of the first that starts at an offset or behind it."""
        return bisect_left(self._token_starts, offset)

    def line_of(self, offset: int) -> int:
        """1-based line that holds an offset."""
        return min(bisect_right(self.line_starts, offset), len(self.line_starts) - 1)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Of an expression, statement or other located node; a definition's includes its decorators."""
        line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
        start = self.offset(line, column)
        decorators = getattr(node, "decorator_list", [])
        if decorators:
            first = self.offset(decorators[0].lineno, decorators[0].col_offset)
            start = min(start, self.text.rindex("@", 0, first))
        return start, self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def segment(self, node: ast.AST) -> str:
        """The node's own text."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_begin(self, offset: int) -> int:
        """Offset of the first character of the line that holds `offset`."""
        return self.line_starts[self.line_of(offset) - 1]

    def line_end(self, offset: int) -> int:
        """Offset just behind the line end of the line that holds `offset`."""
        return self.line_starts[self.line_of(offset)]

    def indent(self, node: ast.stmt) -> str:
        """White space before the statement on its line, empty where something else stands there."""
        start = self.span(node)[0]
        lead = self.text[self.line_begin(start) : start]
        return lead if not lead.strip() else ""


def count_statements(text: str) -> int:
    """How many `ast.stmt` nodes a script has, the figure that reductions are measured by."""
    return sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(text)))
