"""Whether a person could have written a reduced script, as far as a rule can tell.

The rule: nothing of `SIGNS` stands in it that did not stand in the script before, and every name that it
binds and the script before bound was bound under that name there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator


def implausible(text: str, before: str) -> list[str]:
    """What tells against it; empty where nothing does."""
    was = set(_signs(ast.parse(before)))
    found = dict.fromkeys(sign for sign in _signs(ast.parse(text)) if sign not in was)
    renamed = sorted(_bound(ast.parse(text)) - _names(ast.parse(before)))
    if renamed:
        found["names that the script never had: " + ", ".join(renamed[:4])] = None
    return list(found)


def _signs(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _bare(node.func):
            yield "a constant is called"
        if isinstance(node, ast.Attribute) and _number(node.value):
            yield "an attribute of a number"
        if isinstance(node, ast.Subscript) and _bare(node.value) and not isinstance(node.ctx, ast.Store):
            yield "a constant is subscripted"
        if isinstance(node, ast.Expr) and isinstance(node.value, (ast.Name, ast.Constant, ast.Tuple)):
            if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
                yield "a line that is only a name or a constant"
        if isinstance(node, (ast.If, ast.While)) and _bare(node.test):
            yield "a condition that is a constant"
        if isinstance(node, ast.arg) and node.annotation is not None and _bare(node.annotation):
            yield "a parameter annotated with a constant"
        if isinstance(node, ast.FunctionDef) and any(_bare(each) for each in node.decorator_list):
            yield "a constant as decorator"


def _bare(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, (str, bytes))


def _bound(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
    return found


def _names(tree: ast.AST) -> set[str]:
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return read | _bound(tree)
