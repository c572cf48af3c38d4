"""Statements, with all that uses what they define."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import RARELY, DynamicFacts, Hint, Pass
from flybisect.reduce.labels import label_of
from flybisect.source.consequences import Consequences
from flybisect.source.cut import Cut
from flybisect.source.liveness import Liveness
from flybisect.source.scopes import Statement, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Each statement, the ones that take least along first.

    When a store has to stay, so has what leads to it: the search leaves out cuts that hold one which
    failed alone. So the ends of dependence come before the beginnings.
    """
    read = {node.attr for node in ast.walk(table.source.tree) if isinstance(node, ast.Attribute)}
    weighed, consequences = [], Consequences(table, Liveness(table, facts.failing(table)))
    for entry in table.all:
        if _worth_a_trial(table, entry, read):
            cut = Cut(statements=frozenset([entry.number]))
            weight = len(consequences.of(cut))
            weighed.append((weight, -entry.number, Hint(label_of(table, entry), cut)))
    return [hint for _, _, hint in sorted(weighed, key=lambda each: each[:2])]


def _worth_a_trial(table: Statements, entry: Statement, read: set[str]) -> bool:
    node = entry.node
    if isinstance(node, ast.Pass):
        return any(s.parent == entry.parent and s.block == entry.block for s in table.all if s is not entry)
    if isinstance(node, ast.Return):
        return node.value is None  # Its callers read the value.
    if entry.scope.kind == "class" and isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id not in read
    return True


PASS = Pass("statements", "statements, with all that uses what they define", hints, chance=RARELY)
