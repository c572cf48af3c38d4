"""Blank lines as style guides have them, where edits have left too few or too many."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from flybisect.source.edit import Edit, apply
from flybisect.source.scopes import blocks
from flybisect.source.source import Source

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def polished(text: str) -> str:
    """The same program with two blank lines around a definition at the top, one inside a block.

    Comments stay with the statement below them. Raises SyntaxError when the text does not parse.
    """
    source = Source(text)
    result = apply(text, list(_edits(source, source.tree.body, 2)))
    result = result.strip("\n") + "\n" if result.strip() else result
    same = ast.dump(ast.parse(result)) == ast.dump(source.tree)
    return result if same else text


def _edits(source: Source, body: list[ast.stmt], wanted: int) -> Iterator[Edit]:
    for before, after in itertools.pairwise(body):
        if isinstance(before, DEFINITIONS) or isinstance(after, DEFINITIONS):
            yield from _gap(source, before, after, wanted)
    for node in body:
        inner = 1 if isinstance(node, DEFINITIONS) else wanted
        for _, part in blocks(node):
            yield from _edits(source, part, min(inner, 1))


def _gap(source: Source, before: ast.stmt, after: ast.stmt, wanted: int) -> Iterator[Edit]:
    begin, end = source.line_end(source.span(before)[1] - 1), source.line_begin(source.span(after)[0])
    if begin > end:
        return  # Both on one line.
    between = source.text[begin:end]
    blank = len(between) - len(between.lstrip("\n"))
    comments = between.lstrip("\n")
    if any(not line.strip() for line in comments.splitlines()):
        return  # A comment that stands alone: its author's layout is kept.
    if blank != wanted and between.replace("\n", "").strip(" \t") == comments.replace("\n", "").strip(" \t"):
        yield Edit(begin, begin + blank, "\n" * wanted)
