"""Statements, with all that uses what they define: hierarchical delta debugging, outside in."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut
from flybisect.script.scopes import Statement, Statements, qualified


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """Every statement but a lone `pass`; the last first, since fewer others depend on it."""
    found = [
        Hint(f"{qualified(table, entry)}-{table.source.segment(entry.node)}", _removal(entry), entry.depth)
        for entry in table.all
        if not isinstance(entry.node, ast.Pass) or len(_siblings(table, entry)) > 1
    ]
    found.reverse()
    return sorted(found, key=lambda hint: hint.rank)


def _removal(entry: Statement) -> Cut:
    return Cut(statements=frozenset([entry.number]))


def _siblings(table: Statements, entry: Statement) -> list[Statement]:
    return [s for s in table.all if s.parent == entry.parent and s.block == entry.block]


PASS = Pass("statements", "statements, with all that uses what they define", hints, chunks=8)
