"""Nested tuples of numbers, as shapes and strides of layouts, by flat ones."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import RARELY, DynamicFacts, Hint, Pass, PassPhase
from flybisect.reduce.labels import label_of, without_numbers
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.edit import Edit
from flybisect.source.scopes import Statement, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For each call with nested tuples: all of them by their first numbers, in all arguments alike, so
    that shape and stride still agree; then each tuple of a call's arguments shorter by its last."""
    found: list[Hint] = []
    for entry in table.all:
        for call in own_nodes(entry.node):
            if isinstance(call, ast.Call):
                tuples = [each for each in call.args if isinstance(each, ast.Tuple)]
                found += _flat(table, entry, call, tuples) + _shorter(table, entry, call, tuples)
    return found


def _flat(table: Statements, entry: Statement, call: ast.Call, tuples: list[ast.Tuple]) -> list[Hint]:
    nested = [
        element for each in tuples for element in each.elts if isinstance(element, ast.Tuple) and element.elts
    ]
    if not nested or not all(_numbers(element) for element in nested):
        return []
    edits = [Edit(*table.source.span(each), table.source.segment(_first(each))) for each in nested]
    return [Hint(_label(table, entry, call, "flat"), Cut(edits=frozenset(edits)))]


def _shorter(table: Statements, entry: Statement, call: ast.Call, tuples: list[ast.Tuple]) -> list[Hint]:
    lengths = {len(each.elts) for each in tuples}
    if len(lengths) != 1 or min(lengths) < 2 or not all(_numbers(each) for each in tuples):
        return []
    edits = []
    for each in tuples:
        start, end = table.source.span(each.elts[0])[0], table.source.span(each.elts[-2])[1]
        text = table.source.text[start:end]
        edits.append(Edit(*table.source.span(each), f"({text},)" if len(each.elts) == 2 else f"({text})"))
    return [Hint(_label(table, entry, call, "shorter"), Cut(edits=frozenset(edits)))]


def _numbers(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(_numbers(element) for element in node.elts)
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


def _first(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Tuple):
        node = node.elts[0]
    return node


def _label(table: Statements, entry: Statement, call: ast.Call, how: str) -> str:
    return f"{label_of(table, entry)} {how} {without_numbers(table.source.segment(call))}"


PASS = Pass(
    "layouts",
    "nested layouts to flat ones, of lower rank",
    hints,
    phase=PassPhase.NUMBERS,
    chance=RARELY,
)
