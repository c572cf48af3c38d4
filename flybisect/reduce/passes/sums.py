"""Loops that only add up, by `sum`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import PERHAPS, DynamicFacts, Hint, Pass
from flybisect.reduce.labels import label_of
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.scopes import Statement, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """`for i in range(n): s = s + f(i)` as `s = sum([f(i) for i in range(n)], s)`.

    The loop and what it counts with go; the first value of `s` may then be written into the call.
    """
    found: list[Hint] = []
    for entry in table.all:
        text = _as_sum(table, entry)
        if text is not None:
            edit = Edit(entry.start, entry.end, text)
            found.append(Hint(f"sum {label_of(table, entry)}", Cut(edits=frozenset([edit]))))
    return found


def _as_sum(table: Statements, entry: Statement) -> str | None:
    node = entry.node
    if not isinstance(node, ast.For) or node.orelse or len(node.body) != 1:
        return None
    added, rounds = _added(node.body[0]), _rounds(table, node.iter)
    if added is None or rounds is None or _counters_read_behind(table, entry):
        return None
    total, term = added
    if any(
        isinstance(part, ast.Name) and part.id == total for part in [*ast.walk(term), *ast.walk(node.iter)]
    ):
        return None
    segment = table.source.segment
    return f"{total} = sum([{segment(term)} for {segment(node.target)} in {rounds}], {total})"


def _added(node: ast.stmt) -> tuple[str, ast.expr] | None:
    """The variable that a statement adds to, and what it adds."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return (node.target.id, node.value) if isinstance(node.target, ast.Name) else None
    if (
        not isinstance(node, ast.Assign)
        or len(node.targets) != 1
        or not isinstance(node.targets[0], ast.Name)
    ):
        return None
    total, value = node.targets[0].id, node.value
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return None
    for side, other in ((value.left, value.right), (value.right, value.left)):
        if isinstance(side, ast.Name) and side.id == total:
            return total, other
    return None


def _rounds(table: Statements, iterable: ast.expr) -> str | None:
    """What the loop goes through, as Python can outside of a `for` of the DSL."""
    text = table.source.segment(iterable)
    if not isinstance(iterable, ast.Call) or "range" not in ast.unparse(iterable.func):
        return text
    if iterable.keywords:
        return None  # `init=`: values that the loop carries.
    return "range" + text[len(table.source.segment(iterable.func)) :]


def _counters_read_behind(table: Statements, entry: Statement) -> bool:
    inside = set(table.subtree(entry.number))
    counters = [table.owner(name, scope) for name, scope in entry.binds]
    return any(user.number not in inside for key in counters for user, _ in table.users.get(key, ()))


PASS = Pass("sums", "loops that only add up, by sum()", hints, chance=PERHAPS)
