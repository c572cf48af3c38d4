"""Definitions that nothing reads, and those that only they read."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut
from flybisect.script.scopes import Statement, Statements, qualified


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """The assignments, imports and functions whose names no statement left reads."""
    dead: set[int] = set()
    found: list[Hint] = []
    while True:
        size = len(dead)
        for entry in table.all:
            if entry.number not in dead and _unread(table, entry, dead):
                dead.update(table.subtree(entry.number))
                label = f"dead {qualified(table, entry)}-{table.source.segment(entry.node)}"
                found.append(Hint(label, Cut(statements=frozenset([entry.number]))))
        if len(dead) == size:
            return found


def _unread(table: Statements, entry: Statement, dead: set[int]) -> bool:
    node = entry.node
    if entry.scope.kind == "class" or (isinstance(node, ast.AnnAssign) and node.value is None):
        return False  # A field or a declaration, read through the class or by the checker.
    if isinstance(node, ast.Assign) and not all(_plain(target) for target in node.targets):
        return False
    if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom, ast.FunctionDef)):
        return False
    if isinstance(node, ast.ImportFrom) and (node.module == "__future__" or node.names[0].name == "*"):
        return False
    inside = {entry.number} if not isinstance(node, ast.FunctionDef) else set(table.subtree(entry.number))
    for name, scope in entry.binds:
        if scope is not entry.scope:
            continue
        users = table.users.get(table.owner(name, scope), ())
        if any(user.number not in dead and user.number not in inside for user, _ in users):
            return False
    return True


def _plain(target: ast.expr) -> bool:
    """A store into an attribute or an element has an effect."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(_plain(element) for element in target.elts)
    return isinstance(target, ast.Name)


PASS = Pass("dead", "definitions that nothing reads", hints)
