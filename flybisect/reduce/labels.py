"""Names for hints that outlive edits elsewhere in the same statement."""

from __future__ import annotations

import ast
import re
from typing import TypeVar

from flybisect.source.expressions import root_name
from flybisect.source.scopes import Statement, Statements, qualified

NEUTRAL = ("0", "1")
_NUMBER = re.compile(r"(?<![\w.])\d[\w.]*")


def label_of(table: Statements, entry: Statement) -> str:
    """The function that a statement is in and what it is about: its targets, its header, what it calls.

    Not its whole text, nor the index that it stores at, so that a cut which failed is not tried again each
    time that a name in it was written out, nor the functions further out, which may be written out as well;
    what failed is tried once more at the end in any case.
    """
    return f"{qualified(table, entry).rpartition('.')[2]}: {without_numbers(_gist(table, entry.node))}"


def without_numbers(text: str) -> str:
    """The text with each number by a mark: what failed with `64` in it mostly fails with `32`.

    0 and 1 stay, since `x * 1` is as good as `x` where `x * 64` was not.
    """
    return _NUMBER.sub(lambda found: found[0] if found[0] in NEUTRAL else "#", text)


DEEP = 2
"""What stands inside as many expressions as this goes without a word."""


def outline(node: ast.expr) -> str:
    """An expression without its numbers, and without what is deep inside, where most changes are made."""
    return without_numbers(ast.unparse(_shallow(node, 0)))


def outline_of(text: str) -> str:
    """That of an expression's text."""
    return outline(ast.parse(text, mode="eval").body)


def _shallow(node: ast.expr, depth: int) -> ast.expr:
    if depth >= DEEP or isinstance(node, ast.JoinedStr):
        return ast.Name("…")
    return _copied(node, depth + (root_name(node) is None or isinstance(node, ast.Name)))


_Node = TypeVar("_Node", bound=ast.AST)


def _copied(node: _Node, depth: int) -> _Node:
    fields = {
        name: _part(value, depth - (name == "func"))  # A call by its name.
        for name, value in ast.iter_fields(node)
    }
    return type(node)(**fields)


def _part(value: object, depth: int) -> object:
    if isinstance(value, list):
        return [_part(each, depth) for each in value]
    if isinstance(value, ast.expr):
        return _shallow(value, depth)
    return _copied(value, depth) if isinstance(value, ast.AST) else value


def _gist(table: Statements, node: ast.stmt) -> str:
    segment = table.source.segment
    if isinstance(node, ast.Assign):
        return " = ".join(_target(table, target) for target in node.targets) + " ="
    if isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        return _target(table, node.target) + " ="
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return f"def {node.name}"
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return f"for {segment(node.target)}"
    if isinstance(node, ast.Expr) and isinstance(node.value, (ast.BinOp, ast.UnaryOp, ast.Subscript)):
        return f"value {type(node.value).__name__}"  # Nothing names it, and it gets shorter often.
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        if any(isinstance(part, ast.Call) for part in ast.walk(node.value.func)):
            return outline(node.value.func)  # A method of what another call gives.
        first = node.value.args[:1]
        return f"{segment(node.value.func)}({segment(first[0]) if first else ''}"
    return segment(node).split("\n", 1)[0]


def _target(table: Statements, node: ast.expr) -> str:
    """A variable, or what an item of is stored."""
    if isinstance(node, ast.Subscript):
        return f"{_target(table, node.value)}[]"
    return table.source.segment(node)
