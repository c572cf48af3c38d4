"""Loops that name what they carry (`range(…, init=[…])` with a `yield`), as plain ones that assign it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.reduce.labels import label_of
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.scopes import Key, Statement, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """`x = [a]` before `for i in range(n):` with `x = y` at its end, for
    `for i, x in range(n, init=[a]):` with `r = yield y`; `x` for every later `r`."""
    found: list[Hint] = []
    for entry in table.all:
        for assigned in (False, True):
            edits = _plain(table, entry, assigned)
            if edits is not None:
                label = f"plain {label_of(table, entry)}{' assigned' * assigned}"
                found.append(Hint(label, Cut(edits=frozenset(edits)), rank=int(assigned)))
    return found


def _plain(table: Statements, entry: Statement, assigned: bool) -> set[Edit] | None:
    """`assigned`: where a loop yields what it carries, that is assigned to itself, since the DSL takes what a
    loop assigns for what it carries."""
    node = entry.node
    if not isinstance(node, ast.For) or node.orelse or not isinstance(node.iter, ast.Call):
        return None
    init = next((keyword for keyword in node.iter.keywords if keyword.arg == "init"), None)
    if init is None or len(node.iter.keywords) > 1 or not isinstance(node.target, ast.Tuple):
        return None
    last = table.by_node[node.body[-1]]
    if len(node.target.elts) != 2 or _others_yield(table, entry, last):
        return None
    source, indent = table.source, table.source.indent(node)
    counter, carried = (source.segment(each) for each in node.target.elts)
    if isinstance(node.target.elts[1], ast.Tuple):
        carried = carried.strip("()")
    result = _result(table, last)
    if result is None:
        return None
    given, name = result
    renamed = None if name is None else _reads(table, last, name, node.target.elts[1], entry)
    if name is not None and renamed is None:
        return None
    bounds = ", ".join(source.segment(each) for each in node.iter.args)
    rounds = f"{source.segment(node.iter.func)}({bounds})"
    header = f"{carried} = {source.segment(init.value)}\n{indent}for {counter} in {rounds}"
    same = source.segment(given).strip("[]()*, ") == carried
    if assigned and not same:
        return None
    end = _without(table, entry, last) if same and not assigned else None
    if end is None:
        value = carried if same else source.segment(given)
        end = Edit(last.start, last.end, f"{carried} = {value}")
    return {Edit(entry.start, source.span(node.iter)[1], header), end, *(renamed or ())}


def _others_yield(table: Statements, entry: Statement, last: Statement) -> bool:
    return any(
        isinstance(node, (ast.Yield, ast.YieldFrom, ast.Break, ast.Continue))
        for number in table.subtree(entry.number)
        if number != last.number and not table.all[number].parts
        for node in ast.walk(table.all[number].node)
    )


def _result(table: Statements, last: Statement) -> tuple[ast.expr, Key | None] | None:
    """What a loop's last statement yields, and the variable that its result is."""
    node = last.node
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield) and node.value.value is not None:
        return node.value.value, None
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Yield) or node.value.value is None:
        return None
    if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return None
    key = table.owner(node.targets[0].id, last.scope)
    return (node.value.value, key) if table.binders.get(key) == [last] else None


def _reads(
    table: Statements, last: Statement, result: Key, carried: ast.expr, entry: Statement
) -> set[Edit] | None:
    """Edits that read what was carried in place of the result; None where that is another value by then."""
    users = table.users.get(result, ())
    if not isinstance(carried, ast.Name):
        return None if users else set()
    key = table.owner(carried.id, entry.scope)
    if users and any(binder.start > entry.end for binder in table.binders.get(key, ())):
        return None
    text, edits = table.source.text, set()
    for _, use in users:
        end = use.offset + len(use.name)
        plain = isinstance(use.node, ast.Name) and isinstance(use.node.ctx, ast.Load)
        if not plain or text[use.offset : end] != use.name or table.resolve(carried.id, use.scope) != key:
            return None
        edits.add(Edit(use.offset, end, carried.id))
    return edits


def _without(table: Statements, entry: Statement, last: Statement) -> Edit:
    """The loop without its last statement."""
    if len(entry.parts) == 1:
        return Edit(last.start, last.end, "pass")
    before = table.all[entry.parts[entry.parts.index(last.number) - 1]]
    return Edit(before.end, last.end)


PASS = Pass("loops", "loops that name what they carry, as plain ones that assign it", hints)
