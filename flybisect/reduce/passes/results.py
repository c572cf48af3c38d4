"""What the script's own functions return, with the targets that take it: members of tuples, or all."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import PERHAPS, DynamicFacts, Hint, Pass
from flybisect.reduce.passes.parameters import calls_of
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.elements import Element
from flybisect.source.scopes import Key, Statement, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For functions whose every call is `a, b = f(…)`: each member that can go. For those whose every
    call is `a = f(…)`: what they return, so that they are called for their effect."""
    found: list[Hint] = []
    for entry in table.all:
        if not isinstance(entry.node, ast.FunctionDef) or entry.node.decorator_list:
            continue
        whole = _whole(table, entry, entry.node)
        if whole is not None:
            found.append(Hint(f"result of {entry.node.name}", whole))
        returned, taken = _returned(table, entry.node), _taken(table, entry)
        if not returned or not taken:
            continue
        counts = {len(each.elts) for each in [*returned, *(targets for _, targets in taken)]}
        if len(counts) != 1:
            continue
        count = counts.pop()
        for at in range(count):
            cut = _without(table, returned, taken, at, count)
            found.append(Hint(f"result {at} of {count} of {entry.node.name}", cut))
    return found


def _whole(table: Statements, entry: Statement, node: ast.FunctionDef) -> Cut | None:
    calls = calls_of(table, entry) or []
    scope = table.function_scope[node]
    returns = [each for each in table.all if each.scope is scope and isinstance(each.node, ast.Return)]
    taken: list[tuple[Statement, ast.Name, ast.Call]] = []
    for each in table.all:
        if isinstance(each.node, ast.Assign) and any(each.node.value is call for call in calls):
            target = each.node.targets[0]
            if len(each.node.targets) == 1 and isinstance(target, ast.Name):
                taken.append((each, target, each.node.value))  # type: ignore[arg-type]
    if not returns or not calls or len(taken) != len(calls):
        return None
    source = table.source
    edits = [Edit(each.start, each.end, source.segment(call)) for each, _, call in taken]
    statements = {each for each, _, _ in taken}
    keys = {table.owner(target.id, each.scope) for each, target, _ in taken}
    lost = frozenset(key for key in keys if statements >= set(table.binders.get(key, ())))
    removed = frozenset(each.number for each in statements)
    if any(table.resolve(use.name, use.scope) in keys - lost for _, use in table.unbound(removed)):
        return None  # A variable that gets another value only later.
    reads = ((node, each) for each, _, call in taken for node in ast.walk(call) if isinstance(node, ast.Name))
    if any(table.resolve(node.id, each.scope) in lost for node, each in reads):
        return None  # A call that stays takes the result of another.
    return Cut(frozenset(each.number for each in returns), edits=frozenset(edits), lost=lost)


def _returned(table: Statements, node: ast.FunctionDef) -> list[ast.Tuple]:
    """The tuples of its `return` statements; none where one returns something else."""
    scope = table.function_scope[node]
    returns = [e.node for e in table.all if e.scope is scope and isinstance(e.node, ast.Return)]
    values = [each.value for each in returns if isinstance(each.value, ast.Tuple)]
    plain = all(not isinstance(element, ast.Starred) for value in values for element in value.elts)
    return values if len(values) == len(returns) and plain else []


def _taken(table: Statements, entry: Statement) -> list[tuple[Statement, ast.Tuple]]:
    """The statements `a, b = f(…)` and their targets; none where a call is made in another way."""
    calls = calls_of(table, entry) or []
    found: list[tuple[Statement, ast.Tuple]] = []
    for each in table.all:
        node = each.node
        if isinstance(node, ast.Assign) and any(node.value is call for call in calls):
            if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Tuple):
                return []
            if any(isinstance(target, ast.Starred) for target in node.targets[0].elts):
                return []
            found.append((each, node.targets[0]))
    return found if len(found) == len(calls) else []


def _without(
    table: Statements,
    returned: Sequence[ast.Tuple],
    taken: Sequence[tuple[Statement, ast.Tuple]],
    at: int,
    count: int,
) -> Cut:
    lists = [*returned, *(targets for _, targets in taken)]
    lost = _only(table, taken, at)
    if count == 2:
        # `return a, b` to `return a`, without the comma that a tuple of one has.
        edits = [Edit(*table.source.span(each), table.source.segment(each.elts[1 - at])) for each in lists]
        return Cut(edits=frozenset(edits), lost=lost)
    return Cut(elements=frozenset(Element(each, each.elts[at]) for each in lists), lost=lost)


def _only(table: Statements, taken: Sequence[tuple[Statement, ast.Tuple]], at: int) -> frozenset[Key]:
    """Variables that get a value in no other way than from the member."""
    statements = [entry for entry, _ in taken]
    names = [
        (node.id, entry)
        for entry, targets in taken
        for node in ast.walk(targets.elts[at])
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    keys = {table.owner(name, entry.scope) for name, entry in names}
    return frozenset(key for key in keys if all(b in statements for b in table.binders.get(key, ())))


PASS = Pass("results", "what functions return, with the targets that take it", hints, chance=PERHAPS)
