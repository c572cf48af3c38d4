"""Variables that only stand for another name or a constant: the value goes where they are read."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.reduce.passes.statements import where
from flybisect.script.cut import Cut
from flybisect.script.edit import Edit
from flybisect.script.scopes import Statement, Statements, Use


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """Each assignment of a plain value whose variable is bound nowhere else."""
    found: list[Hint] = []
    for entry in table.all:
        node = entry.node
        if not (
            isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        ):
            continue
        target = node.targets[0].id
        key = table.owner(target, entry.scope)
        uses = table.users.get(key, [])
        if len(table.binders[key]) != 1 or _rebound(table, key[1], uses):
            continue
        if not _plain(table, entry, node.value, uses):
            continue
        value = table.source.segment(node.value)
        edits = frozenset(Edit(use.offset, use.offset + len(target), value) for _, use in uses)
        label = f"{where(table, entry)}: {target} = {value} inline"
        found.append(Hint(label, Cut(statements=frozenset([entry.number]), edits=edits)))
    return found


def _rebound(table: Statements, name: str, uses: list[tuple[Statement, Use]]) -> bool:
    """True when a use is no plain read (`del x`, `x += 1`)."""
    return any(not (isinstance(use.node, ast.Name) and isinstance(use.node.ctx, ast.Load)) for _, use in uses)


def _plain(table: Statements, entry: Statement, value: ast.expr, uses: list[tuple[Statement, Use]]) -> bool:
    """True when the value means the same where it is read: a constant, or a name bound once."""
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    if isinstance(value, ast.Constant):
        return not isinstance(value.value, str) or len(value.value) < 20
    while isinstance(value, ast.Attribute):
        value = value.value
    if not isinstance(value, ast.Name):
        return False
    key = table.resolve(value.id, entry.scope)
    if key is None:
        return True
    same = all(table.resolve(value.id, use.scope) == key for _, use in uses)
    return same and len(table.binders.get(key, ())) == 1


PASS = Pass("names", "variables that stand for another name or a constant", hints)
