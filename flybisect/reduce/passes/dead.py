"""Definitions that nothing reads, those that only they read, and imports that repeat another."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.source.cut import Cut
from flybisect.source.effects import Effects
from flybisect.source.liveness import Liveness
from flybisect.source.scopes import Statement, Statements, qualified


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """The assignments, imports and functions whose names no statement left reads, with what only they read;
    attributes that nothing reads of any object; repeated imports, as modules that became one text have
    them. The statement that the compiler names stays: it is where the bug shows."""
    ends = Liveness(table, facts.failing(table)).ends
    return [
        Hint(
            f"dead {qualified(table, table.all[number])}-{table.source.segment(table.all[number].node)}",
            Cut(statements=frozenset([number])),
        )
        for number in dict.fromkeys([*ends, *_repeated(table), *_unread_attributes(table)])
    ]


def _repeated(table: Statements) -> list[int]:
    """Imports at the top of the script all of whose names have been imported before."""
    seen: set[tuple[str | None, str, str | None]] = set()
    found = []
    for node in table.source.tree.body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        module = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else None
        names = {(module, alias.name, alias.asname) for alias in node.names}
        if names <= seen and module != "__future__":
            found.append(table.by_node[node].number)
        seen |= names
    return found


def _unread_attributes(table: Statements) -> list[int]:
    """Stores `self.a = …` in methods where nothing reads `.a` of any object, by its name in a text neither.

    Of other objects what is imported may read it.
    """
    nodes = list(ast.walk(table.source.tree))
    read = {n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)}
    read |= {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    effects = Effects(table)
    found = []
    for entry in table.all:
        own = _own_object(table, entry)
        if own is None or not isinstance(entry.node, ast.Assign) or effects.has(entry):
            continue
        targets = entry.node.targets
        if all(isinstance(each, ast.Attribute) and each.attr not in read for each in targets):
            if all(isinstance(each.value, ast.Name) and each.value.id == own for each in targets):  # type: ignore[attr-defined]
                found.append(entry.number)
    return found


def _own_object(table: Statements, entry: Statement) -> str | None:
    """`self` in a method; None elsewhere."""
    for number in table.ancestors(entry.number):
        around = table.all[number]
        if isinstance(around.node, ast.FunctionDef):
            first = around.node.args.args[:1]
            return first[0].arg if first and around.scope.kind == "class" else None
    return None


PASS = Pass(
    "dead", "definitions that nothing reads, imports that repeat another", hints, phase=PassPhase.FIRST
)
