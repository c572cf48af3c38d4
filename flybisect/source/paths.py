"""Paths that a script's text says: of files, and those that it adds to `sys.path`."""

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
            known[node.targets[0].id] = path_value(node.value, known)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if ast.unparse(call.func) in ("sys.path.insert", "sys.path.append") and call.args:
                value = path_value(call.args[-1], known)
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


def path_value(node: ast.expr, known: Mapping[str, object]) -> object:
    """A path's text, of an expression of the names in `known`; None for what is not known."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.BinOp):
        left, right = path_value(node.left, known), path_value(node.right, known)
        if isinstance(left, str) and isinstance(right, str):
            return f"{left}/{right}" if isinstance(node.op, ast.Div) else left + right
        return None
    if isinstance(node, ast.Attribute):
        return _parent(path_value(node.value, known)) if node.attr == "parent" else None
    if isinstance(node, ast.JoinedStr):
        return _joined(node, known)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        return _nth_parent(node, known)
    return _called(node, known) if isinstance(node, ast.Call) else None


def _joined(node: ast.JoinedStr, known: Mapping[str, object]) -> object:
    """Of an f-string."""
    parts = [
        path_value(each.value, known)
        if isinstance(each, ast.FormattedValue) and each.conversion == -1 and each.format_spec is None
        else each.value
        if isinstance(each, ast.Constant)
        else None
        for each in node.values
    ]
    return "".join(map(str, parts)) if all(isinstance(part, str) for part in parts) else None


def _nth_parent(node: ast.Subscript, known: Mapping[str, object]) -> object:
    assert isinstance(node.value, ast.Attribute)
    count = path_value(node.slice, known)
    value = path_value(node.value.value, known)
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
        return _normal(path_value(node.func.value, known))
    values = [path_value(argument, known) for argument in node.args]
    if name in ("joinpath", "with_name", "with_suffix") and isinstance(node.func, ast.Attribute):
        return _beside(name, path_value(node.func.value, known), values)
    if not values or not all(isinstance(value, str) for value in values):
        return None
    texts = [str(value) for value in values]
    if name == "dirname":
        return _parent(texts[0])
    if name in ("join", "Path"):
        return "/".join(texts)
    return _normal(texts[0]) if name in _KEEPING else None


def _beside(name: str, start: object, values: list[object]) -> object:
    """Of a method of `pathlib`."""
    if not isinstance(start, str) or not values or not all(isinstance(value, str) for value in values):
        return None
    if name == "joinpath":
        return "/".join([start, *map(str, values)])
    folder, _, last = start.rpartition("/")
    stem = last.rpartition(".")[0] or last
    return f"{folder}/{values[0] if name == 'with_name' else f'{stem}{values[0]}'}"


def _normal(value: object) -> object:
    return os.path.normpath(value) if isinstance(value, str) else None
