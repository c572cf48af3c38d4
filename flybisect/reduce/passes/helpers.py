"""Calls of the script's own functions, by a value of the same kind: what the function does goes."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.reduce.labels import label_of
from flybisect.script.cut import Cut
from flybisect.script.edit import Edit
from flybisect.script.expressions import operand_text, parts_of, places
from flybisect.script.instrument import around
from flybisect.script.scopes import Statements
from flybisect.script.substitute import Substitutes


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """For each call, the largest part of it that had its class and IR type, else a variable that had."""
    functions = {entry.node.name for entry in table.all if isinstance(entry.node, ast.FunctionDef)}
    substitutes = Substitutes(table, facts.kinds)
    found: list[Hint] = []
    for entry in table.all:
        where = around(table, entry)
        for place in places(table, entry):
            call = place.node
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
                continue
            kind = facts.kinds.exact(where, call, table.source.segment(call))
            if call.func.id not in functions or kind is None or isinstance(place.parent, ast.Expr):
                continue
            parts = [
                operand_text(table, place, part)
                for part in parts_of(call)
                if facts.kinds.exact(where, part, table.source.segment(part)) == kind
            ]
            text = parts[0] if parts else substitutes.for_kind(kind, entry, entry.start)
            if text is not None:
                label = f"helper {where}: {label_of(table, entry)} {call.func.id} -> {text}"
                found.append(Hint(label, Cut(edits=frozenset([Edit(*table.source.span(call), text)]))))
    return found


PASS = Pass("helpers", "calls of the script's own functions, by a value of the same kind", hints, alone=True)
