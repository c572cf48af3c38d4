"""Statements whose results others read: another value of the same kind takes their place.

In straight-line code everything reaches the last store, so to cut a statement with all that uses it
would cut the rest. Here `p = exp2(s - m)` goes and `p = s` stands in for it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import RARELY, DynamicFacts, Hint, Pass
from flybisect.reduce.labels import label_of
from flybisect.source.consequences import Consequences
from flybisect.source.cut import Cut
from flybisect.source.liveness import Liveness
from flybisect.source.scopes import Statement, Statements
from flybisect.source.substitute import Substitutes


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Statements that bind a value of the DSL which others read; those that take most along first."""
    substitutes = Substitutes(table, facts.kinds)
    consequences = Consequences(table, Liveness(table, facts.failing(table)))
    weighed = [
        (len(consequences.of(cut)), entry)
        for entry in table.all
        if not isinstance(entry.node, (ast.FunctionDef, ast.ClassDef, ast.Import))
        and _gives(table, entry, substitutes)
        for cut in [Cut(bypassed=frozenset([entry.number]))]
    ]
    weighed.sort(key=lambda pair: (-pair[0], pair[1].number))
    return [
        Hint(
            f"bypass {label_of(table, entry)}",
            Cut(bypassed=frozenset([entry.number])),
        )
        for _, entry in weighed
    ]


def _gives(table: Statements, entry: Statement, substitutes: Substitutes) -> bool:
    """True when a variable bound in the statement is read outside of it."""
    inside = set(table.subtree(entry.number))
    for number in inside:
        for name, scope in table.all[number].binds:
            key = table.owner(name, scope)
            if substitutes.known(key) and any(u.number not in inside for u, _ in table.users.get(key, ())):
                return True
    return False


def scalars(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Only simple statements that compute offsets, counts and the like: they mostly go together."""
    if facts.located:
        return []
    substitutes = Substitutes(table, facts.kinds)
    chosen = {
        frozenset([entry.number])
        for entry in table.all
        if isinstance(entry.node, ast.Assign)
        and all(substitutes.scalar(table.owner(name, scope)) for name, scope in entry.binds)
    }
    return [hint for hint in hints(table, facts) if hint.cut.bypassed in chosen]


def unlocated(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """The same, where no line is known whose backward slice says what to keep."""
    return [] if facts.located else hints(table, facts)


SCALARS = Pass("scalars", "computed numbers, with another one in their place", scalars)
EARLY = Pass(
    "bypass",
    "statements, with another value of the same kind for their result",
    unlocated,
    chance=RARELY,
)
PASS = Pass(
    "bypass",
    "statements, with another value of the same kind for their result",
    hints,
    chance=RARELY,
)
