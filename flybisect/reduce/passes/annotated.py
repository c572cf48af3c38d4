"""Annotations of what the DSL does not trace, and texts put together at run time."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.edit import Edit
from flybisect.source.namespaces import every_argument
from flybisect.source.scopes import Statement, Statements, qualified


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Those of a function without decorators, of a variable with a value; f-strings by plain strings."""
    found: list[Hint] = []
    for entry in table.all:
        edits = _of_function(table, entry) + _of_variable(table, entry)
        if edits:
            label = f"annotations {qualified(table, entry)} {table.source.segment(entry.node)[:60]}"
            found.append(Hint(label, Cut(edits=frozenset(edits))))
        for node in own_nodes(entry.node):
            if isinstance(node, ast.JoinedStr) and any(
                isinstance(v, ast.FormattedValue) for v in node.values
            ):
                old = table.source.segment(node)
                found.append(
                    Hint(f"plain {old}", Cut(edits=frozenset([Edit(*table.source.span(node), '""')])))
                )
    return found


def _of_function(table: Statements, entry: Statement) -> list[Edit]:
    """The DSL reads the annotations of what it traces; those of a class's methods may say as much."""
    node = entry.node
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or entry.scope.kind == "class":
        return []
    source = table.source
    edits = [
        Edit(source.span(each)[0] + len(each.arg), source.span(each.annotation)[1])
        for each in every_argument(node.args)
        if each.annotation is not None
    ]
    if node.returns is not None:
        end = source.span(node.returns)[1]
        start = source.text.rindex("->", 0, source.span(node.returns)[0])
        edits.append(Edit(len(source.text[:start].rstrip()), end))
    return edits


def _of_variable(table: Statements, entry: Statement) -> list[Edit]:
    node = entry.node
    if not isinstance(node, ast.AnnAssign) or node.value is None or entry.scope.kind == "class":
        return []
    source = table.source
    return [Edit(source.span(node.target)[1], source.span(node.annotation)[1])]


PASS = Pass(
    "annotations",
    "annotations that the DSL does not read, f-strings by plain strings",
    hints,
    phase=PassPhase.FINE,
)
