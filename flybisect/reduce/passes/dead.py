"""Definitions that nothing reads, and those that only they read."""

from __future__ import annotations

from collections.abc import Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut
from flybisect.script.liveness import unread
from flybisect.script.scopes import Statements, qualified


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """The assignments, imports and functions whose names no statement left reads."""
    return [
        Hint(
            f"dead {qualified(table, table.all[number])}-{table.source.segment(table.all[number].node)}",
            Cut(statements=frozenset([number])),
        )
        for number in unread(table)
    ]


PASS = Pass("dead", "definitions that nothing reads", hints)
