"""Errors that a test asks for: raised below `with pytest.raises(…)` or `self.assertRaises(…)`."""

from __future__ import annotations

import ast
import linecache
import types

_ASKING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "RaisesGroup", "RaisesExc"})


def is_expected(frame: types.FrameType | None) -> bool:
    """True where `frame` or a caller of it stands in code that says it raises.

    Whether it raises what was asked for is not looked at: where it does not, the error goes on.
    """
    while frame is not None:
        lines = _asked_for(frame.f_code.co_filename)
        if any(first <= frame.f_lineno <= last for first, last in lines):
            return True
        frame = frame.f_back
    return False


def _asked_for(file: str) -> list[tuple[int, int]]:
    """Lines of each such block or call, first and last."""
    if not file.endswith(".py") or "-packages/" in file:
        return []
    text = "".join(linecache.getlines(file))
    if not any(name in text for name in _ASKING):
        return []
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if (isinstance(node, (ast.With, ast.AsyncWith)) and any(_asks(i.context_expr) for i in node.items))
        or (isinstance(node, ast.Expr) and _asks(node.value))
    ]


def _asks(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in _ASKING
