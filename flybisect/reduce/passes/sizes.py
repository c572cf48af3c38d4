"""Sizes that stand at several places, halved together: tiles with the shapes and loops over them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence

from flybisect.reduce.hint import RARELY, DynamicFacts, Hint, Pass, PassPhase
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.expressions import places
from flybisect.source.scopes import Statements

SMALL = 4
"""Integers below are ranks, positions and the like rather than sizes."""


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For each even integer with several places, all of them; the largest first."""
    return [
        Hint(
            f"size {value}: {len(spans)} places",
            Cut(edits=frozenset(Edit(start, end, str(value // 2)) for start, end in spans)),
        )
        for value, spans in sorted(_places(table).items(), reverse=True)
        if len(spans) > 1
    ]


def _places(table: Statements) -> dict[int, list[tuple[int, int]]]:
    """Even integers that may be sizes, with where they stand, decorators included."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for entry in table.all:
        nodes = [place.node for place in places(table, entry)]
        for decorator in getattr(entry.node, "decorator_list", []):
            nodes += [node for node in ast.walk(decorator) if isinstance(node, ast.expr)]
        for node in nodes:
            if isinstance(node, ast.Constant) and type(node.value) is int:
                if node.value >= SMALL and node.value % 2 == 0:
                    found[node.value].append(table.source.span(node))
    return dict(found)


PASS = Pass(
    "sizes",
    "sizes that stand at several places, halved together",
    hints,
    phase=PassPhase.FINE,
    chance=RARELY,
)
"""Single numbers are tried as well (see `constants`); here go those that have to agree."""
