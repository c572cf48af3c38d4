"""Loops to one round, branches to one side, `with` and `try` to their bodies."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import PERHAPS, DynamicFacts, Hint, Pass
from flybisect.reduce.labels import label_of
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.layout import reindented
from flybisect.source.scopes import Key, Statement, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For each compound statement, its body (or its `else`) in its place."""
    found: list[Hint] = []
    for entry in table.all:
        for body, lead, lost in _choices(table, entry):
            edit = _replacement(table, entry, body, lead)
            side = "else" if body is not getattr(entry.node, "body", body) else "body"
            label = f"unwrap {label_of(table, entry)} {side}"
            found.append(Hint(label, Cut(edits=frozenset([edit]), lost=frozenset(lost)), entry.depth))
    return sorted(found, key=lambda hint: hint.rank)


def _choices(table: Statements, entry: Statement) -> Iterator[tuple[list[ast.stmt], list[str], set[Key]]]:
    """The bodies that may stand for the statement, lines to put before, and names that are lost."""
    node = entry.node
    if isinstance(node, ast.If):
        yield node.body, [], set()
        if node.orelse:
            yield node.orelse, [], set()
    elif isinstance(node, ast.For) and not _jumps(node):
        lead = _first_round(table, node)
        if lead is not None:
            yield node.body, lead, set()
    elif isinstance(node, ast.While) and not _jumps(node):
        yield node.body, [], set()
    elif isinstance(node, ast.Try):
        yield node.body, [], set()
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
            yield node.body, [], lost


def _first_round(table: Statements, node: ast.For) -> list[str] | None:
    """`i = 0`, what the loop's variables are in its first round; None where that cannot be said.

    `for i, carried in range(…, init=values)` with `results = yield …` at its end is the DSL's loop
    with carried values: `carried = values`, and the `yield` gives its own value.
    """
    segment = table.source.segment
    value = first_value(table, node.iter)
    if value is None:
        return None
    if isinstance(node.target, ast.Name):
        return None if _yields(node) else [f"{node.target.id} = {value}"]
    init = next((k.value for k in getattr(node.iter, "keywords", []) if k.arg == "init"), None)
    if init is None or not isinstance(node.target, ast.Tuple) or len(node.target.elts) != 2:
        return None
    if len(_yields(node)) != 1:
        return None
    index, carried = node.target.elts
    return [f"{segment(index)} = {value}", f"{segment(carried)} = {segment(init)}"]


def _yields(node: ast.For) -> list[ast.Yield]:
    return [part for part in ast.walk(node) if isinstance(part, ast.Yield)]


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


def _replacement(table: Statements, entry: Statement, body: list[ast.stmt], lead: list[str]) -> Edit:
    source = table.source
    start, end = source.span(body[0])[0], source.span(body[-1])[1]
    indent = source.indent(entry.node)
    text = reindented(source, start, end, indent)
    if text.startswith("elif"):
        text = text[2:]
    if isinstance(entry.node, ast.For) and _yields(entry.node):
        text = re.sub(r"\byield\s*", "", text, count=1)
    text = f"\n{indent}".join([*lead, text])
    at = entry.start
    # An `elif` is an `if` of its own in the tree: its place is an `else:` branch.
    if source.text.startswith("elif", at):
        inner = indent + "    "
        text = "else:\n" + inner + text.replace("\n" + indent, "\n" + inner)
    return Edit(at, entry.end, text)


def located(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """The same where the compiler names a line. A measured bug may live on what its loops unroll to,
    so there they come later."""
    return hints(table, facts) if facts.located else []


SUMMARY = "loops to one round, branches to one side, with and try to their bodies"
LOCATED = Pass("unwrap", SUMMARY, located, chance=PERHAPS)
PASS = Pass("unwrap", SUMMARY, hints, chance=PERHAPS)
