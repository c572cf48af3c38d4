"""What runs on the host for its effect: launches of other kernels, checks, benchmarks."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.reduce.labels import label_of
from flybisect.source.cut import Cut
from flybisect.source.scopes import Statement, Statements

_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try)


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Each call made as a statement, each block and each store, outside of what the DSL traces.

    A kernel that nothing launches any more goes along, with its helpers and tensors: so of several
    kernels all but those that matter go in a few trials, before anything is tried inside of them.
    """
    return [
        Hint(label_of(table, entry), Cut(statements=frozenset([entry.number])))
        for entry in table.all
        if _has_effect(entry.node) and not _traced(table, entry)
    ]


def _has_effect(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets)
    return isinstance(node, (ast.Expr, ast.AugAssign, ast.Assert, ast.Raise, *_BLOCKS))


def _traced(table: Statements, entry: Statement) -> bool:
    """True inside of functions that have decorators, as kernels and launchers, and of classes."""
    around = (table.all[number].node for number in table.ancestors(entry.number))
    return any(isinstance(node, ast.ClassDef) or getattr(node, "decorator_list", None) for node in around)


PASS = Pass(
    "host", "launches of other kernels, checks and benchmarks around them", hints, phase=PassPhase.FIRST
)
