"""Values that a loop of the DSL carries from round to round: `range(…, init=[…])` with a `yield`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import PERHAPS, DynamicFacts, Hint, Pass
from flybisect.reduce.labels import label_of
from flybisect.source.cut import Cut
from flybisect.source.elements import Element
from flybisect.source.scopes import Statement, Statements

Display = ast.List | ast.Tuple


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For each such loop: every value where all are named one by one, else the last."""
    found: list[Hint] = []
    for entry in table.all:
        if not isinstance(entry.node, ast.For):
            continue
        initial = _initial(table, entry, entry.node)
        yielded = _yielded(table, entry)
        if initial is None or not yielded:
            continue
        for at in _positions(entry.node, initial, yielded):
            cut = _without(table, entry, initial, yielded, at)
            found.append(Hint(f"carried {at} {label_of(table, entry)}", cut))
    return found


def _initial(table: Statements, entry: Statement, node: ast.For) -> Display | None:
    """The display that ends the `init=` list, which a name may stand for."""
    keywords = node.iter.keywords if isinstance(node.iter, ast.Call) else []
    value = next((keyword.value for keyword in keywords if keyword.arg == "init"), None)
    if isinstance(value, ast.Name):
        key = table.resolve(value.id, entry.scope)
        binders = table.binders.get(key, []) if key is not None else []
        value = getattr(binders[0].node, "value", None) if len(binders) == 1 else None
    while isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        value = value.right
    return value if isinstance(value, Display) and value.elts else None


def _yielded(table: Statements, entry: Statement) -> list[Display]:
    """The displays that the loop's own `yield`s give; none where one gives something else."""
    values = [
        node.value
        for number in table.subtree(entry.number)
        if table.all[number].scope is entry.scope
        for node in ast.walk(table.all[number].node)
        if isinstance(node, ast.Yield)
        and not isinstance(table.all[number].node, (ast.For, ast.While, ast.If))
    ]
    found = [value for value in values if isinstance(value, Display) and value.elts]
    return found if len(found) == len(values) else []


def _positions(node: ast.For, initial: Display, yielded: list[Display]) -> list[int]:
    """From the end, as Python counts: -1 is the last."""
    displays = [initial, *yielded, *_targets(node)]
    named = _targets(node)
    short = min(len(each.elts) for each in displays)
    if any(isinstance(element, ast.Starred) for each in displays for element in each.elts[-1:]):
        return []
    plain = not any(isinstance(element, ast.Starred) for each in displays for element in each.elts)
    return [-1 - at for at in range(short)] if named and plain else [-1]


def _targets(node: ast.For) -> list[Display]:
    """`a, b` of `for i, (a, b) in …`."""
    if isinstance(node.target, ast.Tuple) and len(node.target.elts) == 2:
        target = node.target.elts[1]
        return [target] if isinstance(target, Display) else []
    return []


def _without(table: Statements, entry: Statement, initial: Display, yielded: list[Display], at: int) -> Cut:
    displays = [initial, *yielded, *_targets(entry.node)]  # type: ignore[arg-type]
    elements = frozenset(Element(each, each.elts[at]) for each in displays)
    lost = frozenset(
        table.owner(node.id, entry.scope)
        for each in _targets(entry.node)  # type: ignore[arg-type]
        for node in ast.walk(each.elts[at])
        if isinstance(node, ast.Name)
    )
    return Cut(elements=elements, lost=frozenset(key for key in lost if table.binders.get(key) == [entry]))


PASS = Pass("carried", "values that a loop carries from round to round", hints, chance=PERHAPS)
