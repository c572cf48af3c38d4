"""Loops of a few rounds: written out where that is shorter, else only their last round."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import PERHAPS, DynamicFacts, Hint, Pass
from flybisect.reduce.labels import label_of
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.rounds import read_behind, rounds, with_values
from flybisect.source.scopes import Statement, Statements

FEW = 4
"""Rounds that are written out at most."""


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """`f(0)` and `f(1)` for `for i in range(2): f(i)`; then `f(n - 1)` alone. `unwrap` cuts them to the first
    round."""
    found: list[Hint] = []
    for entry in table.all:
        times = _rounds(table, entry)
        if not times:
            continue
        label = label_of(table, entry)
        every = _written(table, entry, times) if 1 < len(times) <= FEW else None
        if every is not None and _is_smaller(every, entry.node):
            edit = Edit(entry.start, entry.end, _indented(table, entry, every))
            found.append(Hint(f"unroll {label}", Cut(edits=frozenset([edit]))))
        last = _written(table, entry, times[-1:]) if len(times) > 1 else None
        if last is not None:
            edit = Edit(entry.start, entry.end, _indented(table, entry, last))
            found.append(Hint(f"last round {label}", Cut(edits=frozenset([edit])), rank=1))
    return found


def _rounds(table: Statements, entry: Statement) -> range | None:
    """Of a loop over plain statements whose variable is read in it alone."""
    node = entry.node
    if not isinstance(node, ast.For) or node.orelse or not isinstance(node.target, ast.Name):
        return None
    if any(table.all[part].parts or _leaves(table.all[part].node) for part in entry.parts):
        return None
    if any(node.target.id == name for part in entry.parts for name, _ in table.all[part].binds):
        return None
    if read_behind(table, entry):
        return None
    return rounds(node.iter)


def _leaves(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Break, ast.Continue)) or any(
        isinstance(part, (ast.Yield, ast.Lambda)) for part in ast.walk(node)
    )


def _written(table: Statements, entry: Statement, times: Sequence[int]) -> str | None:
    """The body once for each round, a statement a line."""
    assert isinstance(entry.node, ast.For) and isinstance(entry.node.target, ast.Name)
    key = table.owner(entry.node.target.id, entry.scope)
    lines: list[str] = []
    for number in times:
        value = str(number) if number >= 0 else f"({number})"
        for part in entry.parts:
            each = table.all[part]
            text = with_values(table, each, each.start, each.end, {key: value})
            if text is None or _in_strings(table, each):
                return None
            lines.append(text.replace(f"\n{table.source.indent(each.node)}", "\n"))
    return "\n".join(lines)


def _in_strings(table: Statements, entry: Statement) -> bool:
    """True where a string of the statement has lines, which cannot be moved."""
    lines = table.source.line_of
    return not table.source.string_lines.isdisjoint(range(lines(entry.start), lines(entry.end - 1) + 1))


def _indented(table: Statements, entry: Statement, text: str) -> str:
    """The statements in the place of another one."""
    return text.replace("\n", f"\n{table.source.indent(entry.node)}")


def _is_smaller(text: str, node: ast.stmt) -> bool:
    """Fewer statements and loop variables, else as many and fewer nodes; see `source/measure.py`."""
    new, old = ast.parse(text), ast.Module([node], [])
    return _size(new) < _size(old)


def _size(tree: ast.AST) -> tuple[int, int]:
    nodes = list(ast.walk(tree))
    return sum(isinstance(each, ast.stmt) + isinstance(each, ast.For) for each in nodes), len(nodes)


PASS = Pass("unrolled", "loops of a few rounds written out, or to their last round", hints, chance=PERHAPS)
