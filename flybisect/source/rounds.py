"""Loops over a known number of rounds, and texts with a value in place of a variable."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from flybisect.source.edit import Edit, apply
from flybisect.source.expressions import ATOMS, bracketed, stands_alone
from flybisect.source.scopes import Key, Statement, Statements

RANGES = ("range", "range_constexpr")


def rounds(iterable: ast.expr) -> range | None:
    """The indices of `range(4)` and `fx.range_constexpr(1, 4)`, whose arguments are plain integers; None for
    everything else."""
    if not isinstance(iterable, ast.Call) or iterable.keywords or not 1 <= len(iterable.args) <= 3:
        return None
    if callee(iterable).rpartition(".")[2] not in RANGES:
        return None
    numbers = [integer(each) for each in iterable.args]
    if None in numbers or numbers[2:] == [0]:
        return None
    return range(*numbers)  # type: ignore[arg-type]


def callee(node: ast.expr) -> str:
    """Text of what a call calls; "" for other expressions."""
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def integer(node: ast.expr) -> int | None:
    """The value of `4` and `-1`; None for everything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = integer(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def operand(table: Statements, node: ast.expr, text: str | None = None) -> str:
    """An expression's text, in the brackets that it needs to stand where a name stood. `text`: what it has
    become, where that is not its own."""
    text = table.source.segment(node) if text is None else text
    return text if isinstance(node, ATOMS) and stands_alone(text) else bracketed(text)


def with_values(
    table: Statements, entry: Statement, start: int, end: int, values: Mapping[Key, str]
) -> str | None:
    """The text of a span of a statement (of all in it, too) with texts in the place of variables.

    None where one is read in a place whose offset is not known, as in an f-string before Python 3.12, or is
    given a value inside.
    """
    edits = []
    for number in table.subtree(entry.number):
        part = table.all[number]
        for name, scope in part.binds:
            if number != entry.number and table.owner(name, scope) in values:
                return None
        for use in part.uses:
            key = table.resolve(use.name, use.scope)
            if key is None or key not in values or not start <= use.offset < end:
                continue
            behind = use.offset + len(use.name)
            if not isinstance(use.node, ast.Name) or table.source.text[use.offset : behind] != use.name:
                return None
            if not isinstance(use.node.ctx, ast.Load):  # `variable += 1`
                return None
            edits.append(Edit(use.offset - start, behind - start, values[key]))
    return apply(table.source.text[start:end], edits)


def variables(table: Statements, node: ast.AST, entry: Statement) -> set[Key | None]:
    """The variables that an expression of a statement reads; None among them for what nothing binds."""
    inside = {id(part) for part in ast.walk(node)}
    return {table.resolve(use.name, use.scope) for use in entry.uses if id(use.node) in inside}


def read_behind(table: Statements, loop: Statement) -> bool:
    """True where what a loop binds is read outside of it, unless in another loop that binds it anew."""
    inside = set(table.subtree(loop.number))
    keys = {table.owner(name, scope) for number in inside for name, scope in table.all[number].binds}
    for key in keys:
        others = {
            part
            for binder in table.binders.get(key, ())
            if isinstance(binder.node, ast.For) and binder.number not in inside
            for part in binder.parts
            for part in table.subtree(part)
        }
        if any(user.number not in inside | others for user, _ in table.users.get(key, ())):
            return True
    return False
