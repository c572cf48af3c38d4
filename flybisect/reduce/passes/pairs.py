"""Single names of an import, single pairs of a parallel assignment."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.source.cut import Cut
from flybisect.source.elements import Element, pair, pairs
from flybisect.source.scopes import Key, Statement, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """One name of an import with several; one pair of `a, b = x, y`."""
    found: list[Hint] = []
    for entry in table.all:
        node = entry.node
        if isinstance(node, (ast.Import, ast.ImportFrom)) and len(node.names) > 1:
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                cut = Cut(
                    elements=frozenset([Element(node, alias)]),
                    lost=frozenset(_only(table, entry, [name])),
                )
                found.append(Hint(f"import {name}{_unread(table, entry, [name])}", cut))
        elif len(pairs(node)) > 1:
            assert isinstance(node, ast.Assign)
            for at, (target, value) in enumerate(pairs(node)):
                cut = Cut(
                    elements=frozenset(pair(node, at)),
                    lost=frozenset(_only(table, entry, _stored(target))),
                )
                segment = table.source.segment
                unread = _unread(table, entry, _stored(target))
                found.append(Hint(f"pair {segment(target)} = {segment(value)}{unread}", cut))
    return found


def _unread(table: Statements, entry: Statement, names: list[str]) -> str:
    """Part of the label, since what failed while a name was read may hold when it no longer is."""
    read = any(table.users.get(table.owner(name, entry.scope)) for name in names)
    return "" if read else " unread"


def _only(table: Statements, entry: Statement, names: list[str]) -> list[Key]:
    """Those of the variables that nothing but this statement binds."""
    keys = [table.owner(name, entry.scope) for name in names]
    return [key for key in keys if table.binders.get(key) == [entry]]


def _stored(target: ast.expr) -> list[str]:
    return [n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


PASS = Pass("pairs", "names of an import, pairs of a parallel assignment", hints)
