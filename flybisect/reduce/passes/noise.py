"""What a compile does not need: prints, asserts, seeds, synchronisation, docstrings, unread options."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.source.cut import Cut
from flybisect.source.scopes import Statements, qualified

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


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Each such statement."""
    read = {node.attr for node in ast.walk(table.source.tree) if isinstance(node, ast.Attribute)}
    return [
        Hint(
            f"noise {qualified(table, entry)}-{table.source.segment(entry.node)}",
            Cut(statements=frozenset([entry.number])),
        )
        for entry in table.all
        if _is_noise(entry.node) or _is_unread_option(entry.node, read)
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


def _is_unread_option(node: ast.stmt, read: set[str]) -> bool:
    """`parser.add_argument("--name", …)` where nothing reads `.name`."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    call = node.value
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "add_argument":
        return False
    names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    names += [
        keyword.value.value
        for keyword in call.keywords
        if keyword.arg == "dest"
        and isinstance(keyword.value, ast.Constant)
        and isinstance(keyword.value.value, str)
    ]
    return bool(names) and not any(name.lstrip("-").replace("-", "_") in read for name in names)


PASS = Pass(
    "noise",
    "prints, asserts, seeds, synchronisation, docstrings, options that nothing reads",
    hints,
    phase=PassPhase.FIRST,
)
