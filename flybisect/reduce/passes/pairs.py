"""Names of an import that nothing needs, and members of displays and parallel assignments."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut
from flybisect.script.edit import Edit
from flybisect.script.elements import Element
from flybisect.script.scopes import Key, Statement, Statements


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
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
                found.append(Hint(f"import {name}", cut))
        elif isinstance(node, ast.Assign):
            found += _pairs(table, entry, node)
    return found


def _only(table: Statements, entry: Statement, names: list[str]) -> list[Key]:
    """Those of the variables that nothing but this statement binds."""
    keys = [table.owner(name, entry.scope) for name in names]
    return [key for key in keys if table.binders.get(key) == [entry]]


def _pairs(table: Statements, entry: Statement, node: ast.Assign) -> list[Hint]:
    if len(node.targets) != 1:
        return []
    targets, values = node.targets[0], node.value
    if not (isinstance(targets, ast.Tuple) and isinstance(values, ast.Tuple)):
        return []
    if len(targets.elts) != len(values.elts) or len(targets.elts) < 2:
        return []
    segment = table.source.segment
    found: list[Hint] = []
    for at, target in enumerate(targets.elts):
        names = [n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        cut = Cut(
            edits=frozenset([_without(table, entry, targets, values, at)]),
            lost=frozenset(_only(table, entry, names)),
        )
        found.append(Hint(f"pair {segment(target)} = {segment(values.elts[at])}", cut))
    return found


def _without(table: Statements, entry: Statement, targets: ast.Tuple, values: ast.Tuple, at: int) -> Edit:
    segment = table.source.segment
    left = ", ".join(segment(t) for k, t in enumerate(targets.elts) if k != at)
    right = ", ".join(segment(v) for k, v in enumerate(values.elts) if k != at)
    return Edit(entry.start, entry.end, f"{left} = {right}")


PASS = Pass("pairs", "names of an import, pairs of a parallel assignment", hints)
