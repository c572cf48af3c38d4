"""Numbers toward small ones: sizes, shapes, trip counts, tile counts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.reduce.labels import label_of
from flybisect.script.cut import Cut
from flybisect.script.edit import Edit
from flybisect.script.expressions import places
from flybisect.script.scopes import Statements


def to_one(table: Statements, facts: Facts) -> Sequence[Hint]:
    """Each number by 1 (a float by 1.0)."""
    return list(_hints(table, _one))


def halved(table: Statements, facts: Facts) -> Sequence[Hint]:
    """Each integer above 1 by half of it; a float by 1.0."""
    return list(_hints(table, _half))


def _hints(table: Statements, smaller: Callable[[ast.expr], str | None]) -> Iterator[Hint]:
    for entry in table.all:
        numbers = [place.node for place in places(table, entry) if _number(place.node) is not None]
        for at, node in enumerate(numbers):
            new = smaller(node)
            if new is not None:
                label = f"{label_of(table, entry)} number {at}: {table.source.segment(node)} -> {new}"
                yield Hint(label, Cut(edits=frozenset([Edit(*table.source.span(node), new)])))


def _one(node: ast.expr) -> str | None:
    value = _number(node)
    if isinstance(value, int) and value > 1:
        return "1"
    if isinstance(value, float) and value not in (0.0, 1.0):
        return "1.0"
    return None


def _half(node: ast.expr) -> str | None:
    value = _number(node)
    return str(value // 2) if isinstance(value, int) and value > 1 else _one(node)


def _number(node: ast.expr) -> int | float | None:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        number: int | float = node.value  # type: ignore[assignment]
        return number
    return None


TO_ONE = Pass("ones", "numbers to 1", to_one, fine=True, shortcut=True)
HALVED = Pass("halves", "numbers halved", halved, fine=True, alone=True)
