"""Values that are the same in every run: `args.copy`, a parameter, a mode, by their literal."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut
from flybisect.script.edit import Edit
from flybisect.script.expressions import modules, places, root_name
from flybisect.script.instrument import around
from flybisect.script.scopes import IMPLICIT, Statement, Statements


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """For each name or attribute with one known value, all its reads in one function."""
    imported = modules(table)
    edits: dict[tuple[str, str], set[Edit]] = defaultdict(set)
    for entry in table.all:
        where = around(table, entry)
        for place in places(table, entry):
            node = place.node
            if not isinstance(node, (ast.Name, ast.Attribute)) or root_name(node) in imported | IMPLICIT:
                continue
            text = table.source.segment(node)
            value = facts.kinds.values.get((where, text))
            if value is not None and not _assigned_plainly(table, entry, node):
                edits[where, text].add(Edit(*table.source.span(node), value))
    return [
        Hint(f"known {where}: {text} {len(group)}", Cut(edits=frozenset(group)))
        for (where, text), group in edits.items()
    ]


def _assigned_plainly(table: Statements, entry: Statement, node: ast.expr) -> bool:
    """A constant with a name (`M = 64`) is fine as it is."""
    key = table.resolve(node.id, entry.scope) if isinstance(node, ast.Name) else None
    if key is None:
        return False
    return all(
        isinstance(binder.node, ast.Assign) and _constant(binder.node.value) for binder in table.binders[key]
    )


def _constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return all(_constant(element) for element in node.elts)
    return isinstance(node, (ast.Constant, ast.Attribute))


PASS = Pass("known", "values that are the same in every run, by their literal", hints)
