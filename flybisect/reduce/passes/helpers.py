"""Calls of the script's own functions, by a value of the same kind: what the function does goes."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import PERHAPS, DynamicFacts, Hint, Pass
from flybisect.reduce.labels import label_of
from flybisect.source.cut import Cut, close
from flybisect.source.edit import Edit
from flybisect.source.expressions import operand_text, parts_of, places
from flybisect.source.instrument import around
from flybisect.source.liveness import Liveness
from flybisect.source.scopes import Statements
from flybisect.source.substitute import Substitutes


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For each function all its calls, and each call: the largest part of it that had its class and IR
    type, else a variable that had. Those alone that take statements along; what only makes a line shorter
    is left to `expressions`."""
    of_function: dict[str, set[Edit]] = defaultdict(set)
    single: list[Hint] = []
    for name, label, edit in _calls(table, facts):
        of_function[name].add(edit)
        single.append(Hint(label, Cut(edits=frozenset([edit]))))
    every = [
        Hint(f"helpers {name} {len(edits)}", Cut(edits=frozenset(edits)))
        for name, edits in of_function.items()
        if len(edits) > 1
    ]
    liveness = Liveness(table, facts.failing(table))
    weighed = [(_weight(table, liveness, hint.cut), hint) for hint in [*every, *single]]
    return [hint for weight, hint in weighed if weight]


def _weight(table: Statements, liveness: Liveness, cut: Cut) -> int:
    """How many statements nothing reads any more."""
    return len(liveness.with_unread(close(table, cut)).statements)


def _calls(table: Statements, facts: DynamicFacts) -> Iterator[tuple[str, str, Edit]]:
    """Function, label and edit of every call that something may stand for."""
    functions = {entry.node.name for entry in table.all if isinstance(entry.node, ast.FunctionDef)}
    substitutes = Substitutes(table, facts.kinds)
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
                yield call.func.id, label, Edit(*table.source.span(call), text)


PASS = Pass(
    "helpers", "calls of the script's own functions, by a value of the same kind", hints, chance=PERHAPS
)
