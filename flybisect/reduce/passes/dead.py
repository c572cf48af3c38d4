"""Definitions that nothing reads, those that only they read, and imports that repeat another."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut
from flybisect.script.liveness import Liveness
from flybisect.script.scopes import Statements, qualified


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """The assignments, imports and functions whose names no statement left reads; repeated imports, as
    modules that became one text have them."""
    return [
        Hint(
            f"dead {qualified(table, table.all[number])}-{table.source.segment(table.all[number].node)}",
            Cut(statements=frozenset([number])),
        )
        for number in dict.fromkeys([*Liveness(table).unread(), *_repeated(table)])
    ]


def _repeated(table: Statements) -> list[int]:
    """Imports at the top of the script all of whose names have been imported before."""
    seen: set[tuple[str | None, str, str | None]] = set()
    found = []
    for node in table.source.tree.body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        module = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else None
        names = {(module, alias.name, alias.asname) for alias in node.names}
        if names <= seen and module != "__future__":
            found.append(table.by_node[node].number)
        seen |= names
    return found


PASS = Pass("dead", "definitions that nothing reads, imports that repeat another", hints)
