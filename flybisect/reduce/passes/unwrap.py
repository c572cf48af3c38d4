"""Loops to one round, branches to one side, `with` and `try` to their bodies."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut
from flybisect.script.edit import Edit
from flybisect.script.layout import reindented
from flybisect.script.scopes import Key, Statement, Statements


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """For each compound statement, its body (or its `else`) in its place."""
    found: list[Hint] = []
    for entry in table.all:
        for body, lead, lost in _choices(table, entry):
            edit = _replacement(table, entry, body, lead)
            label = f"unwrap {table.source.segment(entry.node)} -> {edit.text}"
            found.append(Hint(label, Cut(edits=frozenset([edit]), lost=frozenset(lost)), entry.depth))
    return sorted(found, key=lambda hint: hint.rank)


def _choices(table: Statements, entry: Statement) -> Iterator[tuple[list[ast.stmt], str, set[Key]]]:
    """The bodies that may stand for the statement, a line to put before, and names that are lost."""
    node = entry.node
    if isinstance(node, ast.If):
        yield node.body, "", set()
        if node.orelse:
            yield node.orelse, "", set()
    elif isinstance(node, ast.For) and not _jumps(node):
        lead = _first_round(table, node)
        if lead is not None:
            yield node.body, lead, set()
    elif isinstance(node, ast.While) and not _jumps(node):
        yield node.body, "", set()
    elif isinstance(node, ast.Try):
        yield node.body, "", set()
    elif isinstance(node, ast.With):
        names = {
            target.id
            for item in node.items
            if item.optional_vars is not None
            for target in ast.walk(item.optional_vars)
            if isinstance(target, ast.Name)
        }
        lost = {table.owner(name, entry.scope) for name in names}
        inside = set(table.subtree(entry.number)) - {entry.number}
        if not any(user.number in inside for key in lost for user, _ in table.users.get(key, ())):
            yield node.body, "", lost


def _first_round(table: Statements, node: ast.For) -> str | None:
    """`i = 0`, what the loop's variable is in its first round; "" where nothing reads it."""
    if not isinstance(node.target, ast.Name):
        return None
    value = first_value(table, node.iter)
    if value is None:
        return None
    return f"{node.target.id} = {value}"


def first_value(table: Statements, iterable: ast.expr) -> str | None:
    """Text of the first element of `range(…)`, of one of its kin in the DSL, or of a display."""
    if isinstance(iterable, (ast.Tuple, ast.List)) and iterable.elts:
        return table.source.segment(iterable.elts[0])
    if isinstance(iterable, ast.Call) and "range" in ast.unparse(iterable.func) and iterable.args:
        return "0" if len(iterable.args) == 1 else table.source.segment(iterable.args[0])
    return None


def _jumps(loop: ast.For | ast.While) -> bool:
    """True when a `break` or `continue` belongs to this loop."""
    queue: list[ast.AST] = list(loop.body)
    while queue:
        node = queue.pop()
        if isinstance(node, (ast.Break, ast.Continue)):
            return True
        if not isinstance(node, (ast.For, ast.While, ast.AsyncFor, ast.FunctionDef, ast.ClassDef)):
            queue += ast.iter_child_nodes(node)
    return False


def _replacement(table: Statements, entry: Statement, body: list[ast.stmt], lead: str) -> Edit:
    source = table.source
    start, end = source.span(body[0])[0], source.span(body[-1])[1]
    indent = source.indent(entry.node)
    text = reindented(source, start, end, indent)
    if text.startswith("elif"):
        text = text[2:]
    if lead:
        text = f"{lead}\n{indent}{text}"
    at = entry.start
    # An `elif` is an `if` of its own in the tree: its place is an `else:` branch.
    if source.text.startswith("elif", at):
        inner = indent + "    "
        text = "else:\n" + inner + text.replace("\n" + indent, "\n" + inner)
    return Edit(at, entry.end, text)


PASS = Pass("unwrap", "loops to one round, branches to one side, with and try to their bodies", hints)
