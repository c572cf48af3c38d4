"""What a compile does not need: prints, asserts, seeds, synchronisation, docstrings."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut
from flybisect.script.scopes import Statements, qualified

_CALLS = (
    "print",
    "torch.manual_seed",
    "torch.cuda.",
    "torch.set_printoptions",
    "random.seed",
    "time.sleep",
    "warnings.",
    "logging.",
    "sys.stdout.",
    "sys.stderr.",
    "gc.",
)
"""Calls, or what calls begin with, that are made for their effect on the host alone."""


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """Each such statement."""
    return [
        Hint(
            f"noise {qualified(table, entry)}-{table.source.segment(entry.node)}",
            Cut(statements=frozenset([entry.number])),
        )
        for entry in table.all
        if _is_noise(entry.node)
    ]


def _is_noise(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assert):
        return True
    if not isinstance(node, ast.Expr):
        return False
    if isinstance(node.value, ast.Constant):
        return True
    if not isinstance(node.value, ast.Call):
        return False
    callee = ast.unparse(node.value.func)
    return any(callee == call or (call.endswith(".") and callee.startswith(call)) for call in _CALLS)


PASS = Pass("noise", "prints, asserts, seeds, synchronisation, docstrings", hints)
