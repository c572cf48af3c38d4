"""Variables that are not worth a name: the value goes where they are read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut
from flybisect.script.edit import Edit
from flybisect.script.elements import Element, pair, pairs
from flybisect.script.expressions import ATOMS, SCOPES, bracketed, stands_alone
from flybisect.script.scopes import Key, Statement, Statements, Use, qualified

LINE = 120
"""Characters that a line may have after a value was written into it: FlyDSL's own limit."""
SHORT = 40
"""Characters of a value that may be written in two places."""


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """Names of constants and of other names everywhere; values read once in their block."""
    return _inlinable(table, lambda *binding: _plain(*binding) or _read_nearby(*binding))


def elsewhere(table: Statements, facts: Facts) -> Sequence[Hint]:
    """Values that are read once, in a function or loop further in."""
    return _inlinable(table, _read_elsewhere)


def _inlinable(
    table: Statements, allowed: Callable[[Statements, Statement, ast.expr, list[tuple[Statement, Use]]], bool]
) -> list[Hint]:
    found: list[Hint] = []
    for entry in table.all:
        for name, value, elements in _bindings(entry.node):
            key = table.owner(name, entry.scope)
            uses = [pair for pair in table.users.get(key, []) if pair[0] is not entry]
            if not _bound_here_alone(table, entry, key, uses) or _rebound(uses):
                continue
            if allowed(table, entry, value, uses):
                label = f"{qualified(table, entry)}: {name} = {table.source.segment(value)} inline"
                found.append(Hint(label, _inlined(table, entry, key, value, uses, elements)))
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
    table: Statements,
    entry: Statement,
    key: Key,
    value: ast.expr,
    uses: list[tuple[Statement, Use]],
    elements: frozenset[Element],
) -> Cut:
    text = table.source.segment(value)
    if not isinstance(value, ATOMS) or not stands_alone(text):
        text = bracketed(text)
    edits = frozenset(Edit(use.offset, use.offset + len(key[1]), text) for _, use in uses)
    if elements:
        return Cut(elements=elements, edits=edits, lost=frozenset([key]))
    return Cut(statements=frozenset([entry.number]), edits=edits)


def _bound_here_alone(
    table: Statements, entry: Statement, key: Key, uses: list[tuple[Statement, Use]]
) -> bool:
    """True when every read but the statement's own gets its value from this statement.

    `A = wrap(A)` of a parameter is one, as long as all other reads stand behind it.
    """
    others = [binder for binder in table.binders[key] if binder is not entry]
    if not others:
        return True
    parameter = len(others) == 1 and isinstance(others[0].node, ast.FunctionDef)
    return parameter and not entry.loops and all(user.start > entry.start for user, _ in uses)


def _read_nearby(
    table: Statements, entry: Statement, value: ast.expr, uses: list[tuple[Statement, Use]]
) -> bool:
    """True for a value that is read once in its block (twice if short), on lines that stay short enough."""
    text = table.source.segment(value)
    if not 1 <= len(uses) <= (2 if len(text) <= SHORT else 1) or "\n" in text:
        return False
    if not isinstance(entry.node, ast.Assign) or isinstance(entry.node.value, ast.Tuple):
        return False
    return all(_fits(table, entry, user, use, text) for user, use in uses)


def _read_elsewhere(
    table: Statements, entry: Statement, value: ast.expr, uses: list[tuple[Statement, Use]]
) -> bool:
    """True for a value that is read at one place further in, where all that it reads means the same.

    It may be computed there more than once, so nothing that is built element by element goes.
    """
    text = table.source.segment(value)
    if len(uses) != 1 or "\n" in text or isinstance(value, (ast.Tuple, ast.Lambda)):
        return False
    if any(isinstance(node, (*SCOPES, ast.Await, ast.Yield, ast.NamedExpr)) for node in ast.walk(value)):
        return False
    user, use = uses[0]
    if user.start < entry.start or entry.loops != user.loops[: len(entry.loops)]:
        return False
    for read in entry.uses:
        key = table.resolve(read.name, read.scope)
        if key != table.resolve(read.name, use.scope) or len(table.binders.get(key, ())) > 1:  # type: ignore[arg-type]
            return False
    start, end = _header(table, user)
    line = table.source.text[table.source.line_begin(use.offset) : table.source.line_end(use.offset)]
    return start <= use.offset < end and len(line.rstrip("\n")) + len(text) - len(use.name) <= LINE


def _header(table: Statements, entry: Statement) -> tuple[int, int]:
    """A simple statement, or a compound one up to the first statement inside it."""
    return entry.start, table.all[entry.parts[0]].start if entry.parts else entry.end


def _fits(table: Statements, entry: Statement, user: Statement, use: Use, text: str) -> bool:
    """True when the value means the same in this simple statement of the same block, and fits there."""
    if user.parent != entry.parent or user.block != entry.block or use.scope is not entry.scope:
        return False
    if user.parts or user.start < entry.start or "\n" in table.source.segment(user.node):
        return False
    rebound = {
        table.owner(name, scope)
        for between in table.all
        if entry.end <= between.start < user.start
        for name, scope in between.binds
    }
    if any(table.resolve(read.name, read.scope) in rebound for read in entry.uses):
        return False
    column = user.start - table.source.line_begin(user.start)
    return column + user.end - user.start + len(text) - len(use.name) <= LINE


def _rebound(uses: list[tuple[Statement, Use]]) -> bool:
    """True when a use is no plain read (`del x`, `x += 1`)."""
    return any(not (isinstance(use.node, ast.Name) and isinstance(use.node.ctx, ast.Load)) for _, use in uses)


def _plain(table: Statements, entry: Statement, value: ast.expr, uses: list[tuple[Statement, Use]]) -> bool:
    """True when the value means the same where it is read: a constant, or a name bound once."""
    if isinstance(value, ast.Tuple):
        return len(uses) == 1 and all(_plain(table, entry, element, uses) for element in value.elts)
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


SUMMARY = "variables that stand for another name or a constant, or are read once"
PASS = Pass("names", SUMMARY, hints)
ELSEWHERE = Pass("names", SUMMARY, elsewhere)
