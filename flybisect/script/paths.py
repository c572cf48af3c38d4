"""Which folders a script adds to `sys.path`, as far as its text says."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping

Path = str
_KEEPING = frozenset({"abspath", "realpath", "resolve", "absolute", "str", "Path", "fspath", "normpath"})
"""Calls that give the same folder back."""


def added_paths(text: str, file: Path) -> list[Path]:
    """Absolute, in the order in which Python looks through them. `file`: the script's own path.

    Known are expressions of `__file__`, constants, `os.path` and `pathlib`; others are left out. A text
    that does not parse adds none.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    known: dict[str, object] = {"__file__": file}
    found: list[Path] = []
    for node in _statements(tree.body):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            known[node.targets[0].id] = _value(node.value, known)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if ast.unparse(call.func) in ("sys.path.insert", "sys.path.append") and call.args:
                value = _value(call.args[-1], known)
                if isinstance(value, str) and os.path.isabs(value):  # noqa: PTH117
                    at = 0 if ast.unparse(call.func).endswith("insert") else len(found)
                    found.insert(at, os.path.normpath(value))
    return found


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Also those below `if` and `try`, in text order."""
    for node in body:
        yield node
        for name in ("body", "orelse", "finalbody"):
            if isinstance(node, (ast.If, ast.Try, ast.With)):
                yield from _statements(getattr(node, name, []))


def _value(node: ast.expr, known: Mapping[str, object]) -> object:
    """A path's text; `None` for what is not known."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, known), _value(node.right, known)
        if isinstance(left, str) and isinstance(right, str):
            return f"{left}/{right}" if isinstance(node.op, ast.Div) else left + right
        return None
    if isinstance(node, ast.Attribute):
        return _parent(_value(node.value, known)) if node.attr == "parent" else None
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        return _nth_parent(node, known)
    return _called(node, known) if isinstance(node, ast.Call) else None


def _nth_parent(node: ast.Subscript, known: Mapping[str, object]) -> object:
    assert isinstance(node.value, ast.Attribute)
    count = _value(node.slice, known)
    value = _value(node.value.value, known)
    if node.value.attr != "parents" or not isinstance(count, int) or not 0 <= count < 64:
        return None
    for _ in range(count + 1):
        value = _parent(value)
    return value


def _parent(value: object) -> object:
    return os.path.dirname(value) if isinstance(value, str) else None  # noqa: PTH120


def _called(node: ast.Call, known: Mapping[str, object]) -> object:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in ("resolve", "absolute") and isinstance(node.func, ast.Attribute):
        return _normal(_value(node.func.value, known))
    values = [_value(argument, known) for argument in node.args]
    if not values or not all(isinstance(value, str) for value in values):
        return None
    texts = [str(value) for value in values]
    if name == "dirname":
        return _parent(texts[0])
    if name in ("join", "joinpath", "Path"):
        return "/".join(texts)
    return _normal(texts[0]) if name in _KEEPING else None


def _normal(value: object) -> object:
    return os.path.normpath(value) if isinstance(value, str) else None
