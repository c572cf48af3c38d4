"""A value by a fresh one of its type in the shortest form.

A fragment that a tiled MMA made is a tensor in registers, and `fx.make_rmem_tensor(8, T)` is one as well,
without the MMA. Where a bug follows from the types of what an operation is given, all that computed it goes.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import PERHAPS, RARELY, DynamicFacts, Hint, Pass, PassPhase
from flybisect.reduce.labels import label_of, outline, outline_of
from flybisect.source.cut import Cut, close
from flybisect.source.edit import Edit
from flybisect.source.expressions import Place, name_of_module, parts_of, places
from flybisect.source.instrument import ObservedTypes, around
from flybisect.source.liveness import Liveness
from flybisect.source.scopes import Statement, Statements
from flybisect.source.shortest import of_memory, shortest

WORTH = 2
"""Calls that have to go where no statement does, and no variable goes unread."""


def operands(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """What the statement that the compiler names gives to the operation that fails."""
    entry = None if facts.failing_line is None else table.at_line(facts.failing_line)
    call = entry.node.value if entry is not None and isinstance(entry.node, (ast.Expr, ast.Assign)) else None
    dsl = name_of_module(table, "flydsl.expr")
    if entry is None or dsl is None or not isinstance(call, ast.Call):
        return []
    given = {*call.args, *(keyword.value for keyword in call.keywords)}
    found = [
        _hint(table, place, facts.kinds, dsl, located=True)
        for place in places(table, entry)
        if place.node in given
    ]
    return [hint for hint in found if hint is not None]


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Calls whose fresh value lets a statement go, reads fewer variables or does without two calls.

    Of calls inside of one another the outermost that did not fail.
    """
    dsl = name_of_module(table, "flydsl.expr")
    if dsl is None or not facts.kinds.kinds:
        return []
    liveness = Liveness(table, facts.failing(table))
    found: list[Hint] = []
    for entry in table.all:
        inside: set[ast.AST] = set()
        for place in places(table, entry):
            if place.node in inside or not isinstance(place.node, ast.Call):
                continue
            if isinstance(place.parent, ast.Expr):
                continue  # Its value is not used: to lose the operation is to lose the statement.
            hint = _hint(table, place, facts.kinds, dsl, located=False)
            if hint is not None and _worth(table, place, hint, liveness):
                found.append(hint)
                if hint.label not in facts.failed:
                    inside.update(ast.walk(place.node))
    return found


def _hint(table: Statements, place: Place, kinds: ObservedTypes, dsl: str, *, located: bool) -> Hint | None:
    entry, text = place.statement, table.source.segment(place.node)
    where = around(table, entry)
    kind = kinds.exact(where, place.node, text)

    def base(element: str, space: str) -> str | None:
        return _memory(table, place, kinds, where, element, space)

    new = None if kind is None else shortest(kind, dsl, base, first_mode=located)
    if new is None or _callee(place.node) == _callee(ast.parse(new, mode="eval").body):
        return None  # As short as it gets, but for its numbers.
    label = f"fresh {label_of(table, entry)} {outline(place.node)} -> {outline_of(new)}"
    rank = 1 if isinstance(entry.node, ast.Expr) and not located else 0  # What is named mostly does.
    return Hint(label, Cut(edits=frozenset([Edit(*table.source.span(place.node), new)])), rank)


def _callee(node: ast.expr) -> str:
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def _memory(
    table: Statements, place: Place, kinds: ObservedTypes, where: str, element: str, space: str
) -> str | None:
    """A tensor in such memory: the variable that is bound first, else the shortest part of the expression."""
    own = table.source.segment(place.node)
    bound = [
        (start, text)
        for (function, text), kind in kinds.kinds.items()
        if function == where and text.isidentifier() and text != own and of_memory(kind, element, space)
        for start in [_bound(table, text, place.statement)]
        if start is not None
    ]
    parts = [
        text
        for part in parts_of(place.node)
        for text in [table.source.segment(part)]
        if of_memory(kinds.exact(where, part, text) or "", element, space)
    ]
    return min(bound)[1] if bound else min(parts, key=len, default=None)


def _bound(table: Statements, name: str, entry: Statement) -> int | None:
    """Where a variable is bound; None where that is not before the statement."""
    key = table.resolve(name, entry.scope)
    binders = table.binders.get(key, ()) if key is not None else ()
    for binder in binders:
        around_it = binder.start <= entry.start < binder.end and binder is not entry
        if binder.end > entry.start and not around_it:
            return None
    return min((binder.start for binder in binders), default=None)


def _worth(table: Statements, place: Place, hint: Hint, liveness: Liveness) -> bool:
    (edit,) = hint.cut.edits
    fewer = _calls(place.node) - _calls(ast.parse(edit.text))
    if fewer >= WORTH or (fewer >= 0 and _reads(table, place) - edit.words):
        return True
    return bool(liveness.with_unread(close(table, hint.cut)).statements)


def _reads(table: Statements, place: Place) -> set[str]:
    """The variables of the function that the expression reads, but for parameters."""
    names = {node.id for node in ast.walk(place.node) if isinstance(node, ast.Name)}
    keys = (table.resolve(name, place.statement.scope) for name in names)
    return {
        key[1]
        for key in keys
        if key is not None and key[0] != table.module.number
        if not any(isinstance(binder.node, ast.FunctionDef) for binder in table.binders.get(key, ()))
    }


def _calls(node: ast.AST) -> int:
    return sum(isinstance(part, ast.Call) for part in ast.walk(node))


SUMMARY = "values, by fresh ones of their types in the shortest form"
LOCATED = Pass(
    "fresh",
    SUMMARY,
    operands,
    phase=PassPhase.FIRST,
    chance=PERHAPS,
)
PASS = Pass(
    "fresh",
    SUMMARY,
    hints,
    phase=PassPhase.FINE,
    chance=RARELY,
)
