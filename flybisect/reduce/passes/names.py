"""Variables that are not worth a name: the value goes where they are read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut
from flybisect.script.edit import Edit
from flybisect.script.elements import Element, pair, pairs
from flybisect.script.expressions import ATOMS
from flybisect.script.scopes import Key, Statement, Statements, Use, qualified

LINE = 100
"""Characters that a line may have after a value was written into it."""


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """Names of constants and of other names everywhere; values read once, in the next statement."""
    found: list[Hint] = []
    for entry in table.all:
        for name, value, elements in _bindings(entry.node):
            key = table.owner(name, entry.scope)
            uses = table.users.get(key, [])
            if len(table.binders[key]) != 1 or _rebound(uses):
                continue
            if _plain(table, entry, value, uses) or _read_at_once(table, entry, value, uses):
                label = f"{qualified(table, entry)}: {name} = {table.source.segment(value)} inline"
                found.append(Hint(label, _inlined(table, entry, key, value, elements)))
    return found


def _bindings(node: ast.stmt) -> Iterator[tuple[str, ast.expr, frozenset[Element]]]:
    """`a = x`, and each pair of `a, b = x, y` with the elements that it is made of."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return
    if isinstance(node.targets[0], ast.Name):
        yield node.targets[0].id, node.value, frozenset()
    for at, (target, value) in enumerate(pairs(node)):
        if isinstance(target, ast.Name):
            yield target.id, value, frozenset(pair(node, at))


def _inlined(
    table: Statements, entry: Statement, key: Key, value: ast.expr, elements: frozenset[Element]
) -> Cut:
    text = table.source.segment(value)
    if not isinstance(value, ATOMS) and not text.startswith("("):
        text = f"({text})"
    uses = table.users.get(key, [])
    edits = frozenset(Edit(use.offset, use.offset + len(key[1]), text) for _, use in uses)
    if elements:
        return Cut(elements=elements, edits=edits, lost=frozenset([key]))
    return Cut(statements=frozenset([entry.number]), edits=edits)


def _read_at_once(
    table: Statements, entry: Statement, value: ast.expr, uses: list[tuple[Statement, Use]]
) -> bool:
    """True for a value that the next statement reads once, on a line that stays short enough."""
    if len(uses) != 1 or not isinstance(entry.node, ast.Assign) or isinstance(entry.node.value, ast.Tuple):
        return False
    user, use = uses[0]
    if user.parent != entry.parent or user.block != entry.block or use.scope is not entry.scope:
        return False
    between = [s for s in table.all if s.parent == entry.parent and entry.end <= s.start < user.start]
    if user.parts or not all(isinstance(s.node, ast.FunctionDef) for s in between):
        return False
    text = table.source.segment(value)
    column = user.start - table.source.line_begin(user.start)
    length = column + user.end - user.start + len(text) - len(use.name)
    return "\n" not in text and "\n" not in table.source.segment(user.node) and length <= LINE


def _rebound(uses: list[tuple[Statement, Use]]) -> bool:
    """True when a use is no plain read (`del x`, `x += 1`)."""
    return any(not (isinstance(use.node, ast.Name) and isinstance(use.node.ctx, ast.Load)) for _, use in uses)


def _plain(table: Statements, entry: Statement, value: ast.expr, uses: list[tuple[Statement, Use]]) -> bool:
    """True when the value means the same where it is read: a constant, or a name bound once."""
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    if isinstance(value, ast.Constant):
        return not isinstance(value.value, str) or len(value.value) < 20
    while isinstance(value, ast.Attribute):
        value = value.value
    if not isinstance(value, ast.Name):
        return False
    key = table.resolve(value.id, entry.scope)
    if key is None:
        return True
    same = all(table.resolve(value.id, use.scope) == key for _, use in uses)
    return same and len(table.binders.get(key, ())) == 1


PASS = Pass("names", "variables that stand for another name or a constant", hints)
