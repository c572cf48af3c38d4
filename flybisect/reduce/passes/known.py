"""Values that are the same in every run: `args.copy`, a parameter, a mode, by their literal."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.expressions import (
    Place,
    modules,
    places,
    root_name,
)
from flybisect.source.instrument import around
from flybisect.source.scopes import IMPLICIT, Statement, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For each name or attribute with one known value, all its reads in one function; then calls of the
    script's own functions and methods."""
    imported = modules(table)
    functions = {entry.node.name for entry in table.all if isinstance(entry.node, ast.FunctionDef)}
    edits: dict[tuple[str, str], set[Edit]] = defaultdict(set)
    for entry in table.all:
        where = around(table, entry)
        for place in places(table, entry):
            node = place.node
            if isinstance(node, ast.Call):
                if not _computes(place, functions, imported):
                    continue
            elif not isinstance(node, (ast.Name, ast.Attribute)) or root_name(node) in imported | IMPLICIT:
                continue
            text = table.source.segment(node)
            value = facts.kinds.values.get((where, text))
            if value is not None and not _assigned_plainly(table, entry, node):
                edits[where, text].add(Edit(*table.source.span(node), value))
    return [
        Hint(f"known {where}: {text} {len(group)}", Cut(edits=frozenset(group)), rank=int(text.endswith(")")))
        for (where, text), group in edits.items()
    ]


def _computes(place: Place, functions: set[str], imported: frozenset[str]) -> bool:
    """A call of a function or method of the script whose result is used."""
    call = place.node
    if not isinstance(call, ast.Call) or isinstance(place.parent, ast.Expr):
        return False
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in functions and root_name(call.func) not in imported
    return isinstance(call.func, ast.Name) and call.func.id in functions


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


PASS = Pass("known", "values that are the same in every run, by their literal", hints, phase=PassPhase.FIRST)
