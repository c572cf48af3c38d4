"""The statement where the bug shows, by the part of it that fails."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import PERHAPS, DynamicFacts, Hint, Pass, PassPhase
from flybisect.reduce.labels import outline
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.expressions import SCOPES, bracketed, stands_alone
from flybisect.source.instrument import around
from flybisect.source.scopes import Statement, Statements

_COMPUTED = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Subscript)
MOST = 3
"""Parts that are tried of one statement."""


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For the statement that the compiler names: the first part of it that gave no value, whatever it is:
    an argument, an operand, a receiver. Then what holds that part, from the inside outward.

    Python has computed all that is before and inside of the part that fails, and nothing behind it.
    """
    entry = None if facts.failing_line is None else table.at_line(facts.failing_line)
    if entry is None or not facts.kinds.kinds:
        return []
    start, end = entry.start, table.all[entry.parts[0]].start if entry.parts else entry.end
    if table.source.text[start:end].strip() not in facts.learned:
        return []  # Nothing is known of a text that was not run with the recorder.
    where = around(table, entry)
    found: list[Hint] = []
    for node in _unfinished(table, entry, facts, where)[:MOST]:
        text = table.source.segment(node)
        edit = Edit(entry.start, entry.end, text if stands_alone(text) else bracketed(text))
        lost = frozenset(
            key
            for name, scope in entry.binds
            for key in [table.owner(name, scope)]
            if table.binders.get(key) == [entry]
        )
        label = f"value {where}: {outline(node)}"
        found.append(Hint(label, Cut(edits=frozenset([edit]), lost=lost)))
    return found


def _unfinished(table: Statements, entry: Statement, facts: DynamicFacts, where: str) -> list[ast.expr]:
    """The parts that gave no value: the one that Python came to first, then those around it."""
    roots = _roots(entry.node)
    for root in roots:
        chain = _chain(table, root, facts, where)
        if chain:
            whole = isinstance(entry.node, ast.Expr) and chain[-1] is entry.node.value
            return chain[:-1] if whole else chain
    return []


def _roots(node: ast.stmt) -> list[ast.expr]:
    """What a statement computes, in order."""
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)):
        return [] if node.value is None else [node.value]
    if isinstance(node, (ast.If, ast.While, ast.Assert)):
        return [node.test]
    return [node.iter] if isinstance(node, ast.For) else []


def _chain(table: Statements, node: ast.expr, facts: DynamicFacts, where: str) -> list[ast.expr]:
    """From the part that fails to the node itself; empty where the node gave a value."""
    if isinstance(node, SCOPES) or facts.kinds.kinds.get((where, table.source.segment(node))) is not None:
        return []
    for child in _operands(node):
        inner = _chain(table, child, facts, where)
        if inner:
            return [*inner, node] if isinstance(node, _COMPUTED) else inner
    return [node] if isinstance(node, _COMPUTED) else []


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """In the order in which Python computes them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.keyword):
            yield child.value
        elif isinstance(child, ast.Starred):
            yield child.value
        elif isinstance(child, ast.expr):
            yield child


PASS = Pass(
    "values",
    "the statement where the bug shows, by the part of it that fails",
    hints,
    chance=PERHAPS,
    phase=PassPhase.FIRST,
)
