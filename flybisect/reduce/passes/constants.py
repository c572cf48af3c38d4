"""Numbers toward small ones: sizes, shapes, trip counts, tile counts."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import PERHAPS, DynamicFacts, Hint, Pass, PassPhase
from flybisect.reduce.labels import label_of
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.expressions import places
from flybisect.source.scopes import Statements


def halved(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Each integer above 1 by half of it; a float by 1.0."""
    return [hint for hint, _ in _every(table)]


def to_one(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Those by 1 whose half did not fail: what takes half of a number mostly takes the whole way."""
    return [one for half, one in _every(table) if one is not None and half.label not in facts.failed]


def _every(table: Statements) -> Iterator[tuple[Hint, Hint | None]]:
    """For each number the hints that halve it and that make it 1, where that is something else."""
    for entry in table.all:
        numbers = [place.node for place in places(table, entry) if _number(place.node) is not None]
        for at, node in enumerate(numbers):
            half, one = _half(node), _one(node)
            if half is None:
                continue
            label = f"{label_of(table, entry)} number {at}: {table.source.segment(node)}"
            hints = [
                Hint(
                    f"{label} -> {new}",
                    Cut(edits=frozenset([Edit(*table.source.span(node), new)])),
                    likely=table.outside_functions(entry),
                )
                for new in (half, one)
                if new is not None
            ]
            yield hints[0], hints[1] if one != half else None


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


SUMMARY = "numbers halved"
HALVED = Pass("halves", SUMMARY, halved, phase=PassPhase.NUMBERS, chance=PERHAPS)
TO_ONE = Pass("ones", "numbers to 1", to_one, phase=PassPhase.NUMBERS, shortcut=True)
FURTHER = Pass("halves", SUMMARY, halved, phase=PassPhase.NUMBERS, again=True)
"""What was halved once mostly goes on being halved, together with the rest."""
