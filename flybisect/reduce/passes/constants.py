"""Numbers toward small ones: sizes, shapes, trip counts, tile counts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut
from flybisect.script.edit import Edit
from flybisect.script.expressions import places
from flybisect.script.scopes import Statements


def to_one(table: Statements, facts: Facts) -> Sequence[Hint]:
    """Each number by 1 (a float by 1.0)."""
    return list(_hints(table, _one))


def halved(table: Statements, facts: Facts) -> Sequence[Hint]:
    """Each integer above 3 by half of it."""
    return list(_hints(table, _half))


def _hints(table: Statements, smaller: Callable[[ast.expr], str | None]) -> Iterator[Hint]:
    for entry in table.all:
        for place in places(table, entry):
            new = smaller(place.node)
            if new is None:
                continue
            statement = table.source.segment(entry.node)[:200]
            old = table.source.segment(place.node)
            column = table.source.span(place.node)[0] - entry.start
            edit = Edit(*table.source.span(place.node), new)
            yield Hint(f"{statement}@{column}: {old} -> {new}", Cut(edits=frozenset([edit])))


def _one(node: ast.expr) -> str | None:
    value = _number(node)
    if isinstance(value, int) and value > 1:
        return "1"
    if isinstance(value, float) and value not in (0.0, 1.0):
        return "1.0"
    return None


def _half(node: ast.expr) -> str | None:
    value = _number(node)
    return str(value // 2) if isinstance(value, int) and value > 3 else None


def _number(node: ast.expr) -> int | float | None:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        number: int | float = node.value  # type: ignore[assignment]
        return number
    return None


TO_ONE = Pass("ones", "numbers to 1", to_one, fine=True)
HALVED = Pass("halves", "integers halved", halved, fine=True)
