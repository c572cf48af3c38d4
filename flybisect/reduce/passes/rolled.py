"""Statements and elements that are alike but for numbers that go up evenly, as a loop or comprehension."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.reduce.labels import without_numbers
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.edit import Edit, apply
from flybisect.source.expressions import modules, name_of_module
from flybisect.source.fresh import fresh
from flybisect.source.scopes import Statement, Statements, qualified

LEAST = 3
"""Statements or elements that are worth a loop."""
SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """`for i in range_constexpr(4): f(2 * i)` for `f(0)`, `f(2)`, `f(4)`, `f(6)` in a row, and the same for
    the elements of a list."""
    return [*_statements(table), *_elements(table)]


def _statements(table: Statements) -> Iterator[Hint]:
    row: list[Statement] = []
    rows: list[list[Statement]] = []
    for entry in table.all:
        if not isinstance(entry.node, SIMPLE):
            continue
        if not row or not _follows(table, row, entry):
            row = []
            rows.append(row)
        row.append(entry)
    for each in rows:
        name = _range(table, each[0])
        text = _rolled(table, [entry.node for entry in each]) if len(each) >= LEAST and name else None
        if text is None:
            continue
        counter, body = text
        indent = table.source.indent(each[0].node)
        loop = f"for {counter} in {name}({len(each)}):\n{indent}    {body}"
        if _size(ast.parse(loop)) < _size(ast.Module([entry.node for entry in each], [])):
            edit = Edit(each[0].start, each[-1].end, loop)
            label = f"roll {qualified(table, each[0])}: {without_numbers(ast.unparse(each[0].node))}"
            yield Hint(label, Cut(edits=frozenset([edit])), likely=True)


def _follows(table: Statements, row: Sequence[Statement], entry: Statement) -> bool:
    """True for the next statement of a block that goes on as those of the row do."""
    last = row[-1]
    if (last.parent, last.block, last.number + 1) != (entry.parent, entry.block, entry.number):
        return False
    return _progressions([each.node for each in [*row, entry]]) is not None


def _elements(table: Statements) -> Iterator[Hint]:
    for entry in table.all:
        for node in own_nodes(entry.node):
            if not isinstance(node, ast.List) or len(node.elts) < LEAST or not isinstance(node.ctx, ast.Load):
                continue
            found = _rolled(table, node.elts)
            if found is None:
                continue
            counter, text = found
            new = f"[{text} for {counter} in range({len(node.elts)})]"
            if len(list(ast.walk(ast.parse(new, mode="eval").body))) < len(list(ast.walk(node))):
                label = f"roll {qualified(table, entry)}: {without_numbers(ast.unparse(node))}"
                yield Hint(label, Cut(edits=frozenset([Edit(*table.source.span(node), new)])), likely=True)


def _range(table: Statements, entry: Statement) -> str | None:
    """What unrolls a loop while a kernel is traced; `range` outside of functions. None where the script has
    no name for it."""
    if table.outside_functions(entry):
        return "range"
    if "range_constexpr" in modules(table):
        return "range_constexpr"
    dsl = name_of_module(table, "flydsl.expr")
    return None if dsl is None else f"{dsl}.range_constexpr"


def _rolled(table: Statements, nodes: Sequence[ast.AST]) -> tuple[str, str] | None:
    """A counter, and the first node's text with what it is in the place of what goes up; None where they
    differ in another way, or in nothing."""
    steps = _progressions(nodes)
    if steps is None or (not steps and isinstance(nodes[0], ast.Assign)):
        return None
    counter = fresh("i", {name for scope in table.scopes for name in scope.bound})
    start, end = table.source.span(nodes[0])
    edits = []
    for node, step in steps:
        first = node.value
        assert isinstance(first, int)
        factor = counter if step == 1 else f"{step} * {counter}"
        text = factor if first == 0 else f"({first} + {factor})"
        at, behind = table.source.span(node)
        bare = first == 0 and step == 1
        edits.append(Edit(at - start, behind - start, text if bare or first else f"({text})"))
    return counter, apply(table.source.text[start:end], edits)


def _progressions(nodes: Sequence[ast.AST]) -> list[tuple[ast.Constant, int]] | None:
    """The integers of the first node that go up evenly from node to node, with the step. None where the nodes
    differ in anything else."""
    walked = [list(ast.walk(node)) for node in nodes]
    if len({len(each) for each in walked}) != 1:
        return None
    found: list[tuple[ast.Constant, int]] = []
    for row in zip(*walked, strict=True):
        if len({type(node) for node in row}) != 1:
            return None
        first = row[0]
        if isinstance(first, ast.Constant):
            values = [node.value for node in row]
            if all(value == values[0] and type(value) is type(values[0]) for value in values):
                continue
            if any(type(value) is not int for value in values):
                return None
            step = values[1] - values[0]
            if any(b - a != step for a, b in itertools.pairwise(values)):
                return None
            found.append((first, step))
        elif any(_own(node) != _own(first) for node in row):
            return None
    return found


def _own(node: ast.AST) -> list[object]:
    """Fields that are no nodes, as a name."""
    fields = [value for _, value in ast.iter_fields(node)]
    return [value for value in fields if not isinstance(value, (ast.AST, list))] + [
        len(value) for value in fields if isinstance(value, list)
    ]


def _size(tree: ast.AST) -> tuple[int, int]:
    nodes = list(ast.walk(tree))
    return sum(isinstance(each, ast.stmt) + isinstance(each, ast.For) for each in nodes), len(nodes)


PASS = Pass(
    "rolled", "what is alike but for numbers that go up evenly, as a loop", hints, phase=PassPhase.FINE
)
