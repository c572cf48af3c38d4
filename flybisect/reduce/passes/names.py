"""Variables that are not worth a name: the value goes where they are read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from flybisect.reduce.hint import MOVED, PERHAPS, DynamicFacts, Hint, Pass
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.elements import Element, pair, pairs
from flybisect.source.expressions import (
    ATOMS,
    SCOPES,
    bracketed,
    stands_alone,
)
from flybisect.source.scopes import (
    Key,
    Statement,
    Statements,
    Use,
    qualified,
)
from flybisect.source.wrap import LINE, wrapped

LONG = 80
"""Characters of a value that is still written into a statement which has to be wrapped for it."""
SHORT = 40
"""Characters of a value that may be written in two places, where it makes no call: two calls give two
objects."""
SHORT_CALL = 60
"""Characters of a call that may be written in two places, where no line has to be wrapped for it."""


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Names of constants and of other names everywhere; values read once in their block."""
    return _inlinable(table, lambda *binding: plain(*binding) or _read_nearby(*binding))


def elsewhere(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Values that are read once, in a function or loop further in."""
    return _inlinable(table, _read_elsewhere)


def twice(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Short calls whose result is read twice in its block: two calls give two objects, so it rarely holds
    for what is written to."""
    return _inlinable(table, _short_call_read_twice)


def _inlinable(
    table: Statements, allowed: Callable[[Statements, Statement, ast.expr, list[tuple[Statement, Use]]], bool]
) -> list[Hint]:
    return [hint for entry in table.all for hint in _of_statement(table, entry, allowed)]


def alias(table: Statements, entry: Statement) -> Hint | None:
    """The hint for `a = b` where `b` may be read in every place of `a`; None for other statements."""
    if not isinstance(entry.node, ast.Assign) or not isinstance(entry.node.value, ast.Name):
        return None
    return next(_of_statement(table, entry, plain), None)


def _of_statement(
    table: Statements,
    entry: Statement,
    allowed: Callable[[Statements, Statement, ast.expr, list[tuple[Statement, Use]]], bool],
) -> Iterator[Hint]:
    for name, value, elements in _bindings(entry.node):
        key = table.owner(name, entry.scope)
        uses = [pair for pair in table.users.get(key, []) if pair[0] is not entry]
        if not _bound_here_alone(table, entry, key, uses):
            uses = _until_rebound(table, entry, key, uses) if not elements else []
        if not uses or _rebound(uses) or not allowed(table, entry, value, uses):
            continue
        cut = _inlined(table, entry, key, value, uses, elements)
        if cut is not None:
            label = f"{qualified(table, entry)}: {name} = {table.source.segment(value)} inline"
            yield Hint(label, cut)


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
) -> Cut | None:
    """None where a line would become too long."""
    text = table.source.segment(value)
    if not isinstance(value, ATOMS) or not stands_alone(text):
        text = bracketed(text)
    if plain(table, entry, value, uses):
        edits = {Edit(use.offset, use.offset + len(key[1]), text) for _, use in uses}
    else:
        written = [_written(table, user, use, text) for user, use in uses]
        edits = {edit for edit in written if edit is not None}
        if None in written:
            return None
    if elements:
        return Cut(elements=elements, edits=frozenset(edits), lost=frozenset([key]))
    return Cut(statements=frozenset([entry.number]), edits=frozenset(edits))


def _written(table: Statements, user: Statement, use: Use, text: str) -> Edit | None:
    """A value in the place of a name, in a line that it leaves short enough, else in a wrapped statement."""
    source = table.source
    line = source.text[source.line_begin(use.offset) : source.line_end(use.offset)].rstrip("\n")
    if len(line) + len(text) - len(use.name) <= LINE:
        return Edit(use.offset, use.offset + len(use.name), text)
    start, end = _header(table, user)
    header = source.text[start:end].rstrip()
    if len(text) > LONG or source.text[source.line_begin(start) : start].strip():
        return None
    at = use.offset - start
    new = wrapped(header[:at] + text + header[at + len(use.name) :], source.indent(user.node))
    return None if new is None else Edit(start, start + len(header), new)


def _until_rebound(
    table: Statements, entry: Statement, key: Key, uses: list[tuple[Statement, Use]]
) -> list[tuple[Statement, Use]]:
    """The reads behind a binding of a name that is bound again, up to the next one; none where the
    value may be read elsewhere, as in the next round of a loop."""
    others = [binder for binder in table.binders.get(key, ()) if binder is not entry]
    if any(binder.scope is not entry.scope or binder.parts for binder in others):
        return []
    inside = set(table.subtree(entry.loops[-1])) if entry.loops else set()
    if any(binder.number in inside for binder in others):
        return []
    if inside and any(user.number in inside and user.start < entry.start for user, _ in uses):
        return []
    ahead = {loop for user, _ in uses for loop in user.loops} - set(entry.loops)
    if any(ahead & set(binder.loops) for binder in others):
        return []
    following = min((binder.start for binder in others if binder.start > entry.start), default=None)
    own = [pair for pair in uses if pair[0].start > entry.start]
    return own if following is None else [pair for pair in own if pair[0].start < following]


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
    twice = len(text) <= SHORT and not any(isinstance(node, ast.Call) for node in ast.walk(value))
    if not 1 <= len(uses) <= (2 if twice else 1) or "\n" in text:
        return False
    if not isinstance(entry.node, ast.Assign) or isinstance(entry.node.value, ast.Tuple):
        return False
    return all(fits(table, entry, user, use) for user, use in uses)


def _short_call_read_twice(
    table: Statements, entry: Statement, value: ast.expr, uses: list[tuple[Statement, Use]]
) -> bool:
    text = table.source.segment(value)
    if len(uses) != 2 or len(text) > SHORT_CALL or "\n" in text or not isinstance(value, ast.Call):
        return False
    if len(text) > SHORT and any(not _on_the_line(table, uses, use, text) for _, use in uses):
        return False
    return all(fits(table, entry, user, use) for user, use in uses)


def _on_the_line(table: Statements, uses: list[tuple[Statement, Use]], use: Use, text: str) -> bool:
    """True where a line that reads the name keeps its length with the text in place of all its reads."""
    source = table.source
    start, end = source.line_begin(use.offset), source.line_end(use.offset)
    more = sum(len(text) - len(each.name) for _, each in uses if start <= each.offset < end)
    return len(source.text[start:end].rstrip("\n")) + more <= LINE


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
    return start <= use.offset < end


def _header(table: Statements, entry: Statement) -> tuple[int, int]:
    """A simple statement, or a compound one up to the first statement inside it."""
    return entry.start, table.all[entry.parts[0]].start if entry.parts else entry.end


def fits(table: Statements, entry: Statement, user: Statement, use: Use) -> bool:
    """True when the value means the same in this statement of the same block, which takes it once."""
    if user.parent != entry.parent or user.block != entry.block or use.scope is not entry.scope:
        return False
    once = isinstance(user.node, (ast.For, ast.If, ast.With)) or not user.parts
    if not once or user.start < entry.start or use.offset >= _header(table, user)[1]:
        return False
    rebound = {
        table.owner(name, scope)
        for between in table.all
        if entry.end <= between.start < user.start
        for name, scope in between.binds
    }
    return not any(table.resolve(read.name, read.scope) in rebound for read in entry.uses)


def _rebound(uses: list[tuple[Statement, Use]]) -> bool:
    """True when a use is no plain read (`del x`, `x += 1`)."""
    return any(not (isinstance(use.node, ast.Name) and isinstance(use.node.ctx, ast.Load)) for _, use in uses)


def plain(table: Statements, entry: Statement, value: ast.expr, uses: list[tuple[Statement, Use]]) -> bool:
    """True when the value means the same where it is read: a constant, or a name bound once."""
    if isinstance(value, ast.Tuple):
        return len(uses) == 1 and all(plain(table, entry, element, uses) for element in value.elts)
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
PASS = Pass("names", SUMMARY, hints, worth=MOVED)
ELSEWHERE = Pass("names", SUMMARY, elsewhere, worth=MOVED)
TWICE = Pass("names", SUMMARY, twice, chance=PERHAPS, worth=MOVED)
