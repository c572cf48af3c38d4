"""Arithmetic on plain integers, by its result."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.expressions import places
from flybisect.source.scopes import Statements

_OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_BITS = 63
"""Bits of a result that is still written out."""


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """The outermost expressions that can be computed from the text alone."""
    found: list[Hint] = []
    for entry in table.all:
        done: list[tuple[int, int]] = []
        for place in places(table, entry):
            start, end = table.source.span(place.node)
            value = _value(place.node)
            if value is None or isinstance(place.node, (ast.Constant, ast.UnaryOp)):
                continue
            if not any(a <= start and end <= b for a, b in done):
                done.append((start, end))
                label = f"fold {table.source.text[start:end]} at {start}"
                text = str(value) if value >= 0 else f"({value})"
                found.append(Hint(label, Cut(edits=frozenset([Edit(start, end, text)]))))
    return found


def _value(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _value(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _value(node.left), _value(node.right)
        if left is None or right is None or (right == 0 and isinstance(node.op, (ast.FloorDiv, ast.Mod))):
            return None
        result = _OPERATIONS[type(node.op)](left, right)
        return result if result.bit_length() <= _BITS else None
    return None


PASS = Pass("folds", "arithmetic on plain integers, by its result", hints, shortcut=True)
