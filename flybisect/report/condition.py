"""A condition over figures in which the figures of the unreduced script are numbers. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from flybisect.observation import METRICS
from flybisect.oracle.conditions import parse
from flybisect.oracle.plugin import Evidence
from flybisect.workflows.findings import Findings

OBSERVED = frozenset(METRICS) - {"occupancy"}
"""Metrics that `observe.py` knows."""
FUNCTIONS = frozenset({"min", "max", "abs"})


def settled(found: Findings) -> str | None:
    """`base.vgpr_spills <= first.base.vgpr_spills` as `base.vgpr_spills <= 0`; None without a condition."""
    if found.condition is None:
        return None
    try:
        tree = ast.parse(found.condition, mode="eval")
    except SyntaxError:
        return found.condition
    columns = [column.observation for column in found.original.columns]
    evidence = Evidence(columns[0], columns[1] if len(columns) > 1 else None)
    return ast.unparse(_WithFirstFigures(parse(found.condition).figures(evidence)).visit(tree))


def in_python(text: str | None) -> str | None:
    """The same over `this`, a dict of figures, and `base`, an object; None when it uses others."""
    if text is None:
        return None
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return None
    called = {_name(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {"base", *FUNCTIONS}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    if not called <= FUNCTIONS or not names <= OBSERVED:
        return None
    return ast.unparse(_AsLookup().visit(tree))


class _WithFirstFigures(ast.NodeTransformer):
    def __init__(self, figures: Mapping[str, float]) -> None:
        self._figures = figures

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        text = ast.unparse(node)
        value = self._figures.get(text) if text.startswith("first.") else None
        return node if value is None else ast.Constant(int(value) if value == int(value) else value)


class _AsLookup(ast.NodeTransformer):
    """`vgprs` as `this['vgprs']`."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in OBSERVED:
            return node
        return ast.parse(f"this[{node.id!r}]", mode="eval").body


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
