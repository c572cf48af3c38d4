"""Changes that leave the syntax tree as it is."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Pass, PassPhase
from flybisect.source.cut import carry_out
from flybisect.source.polish import polished
from flybisect.source.scopes import Statements
from flybisect.source.source import Source


def with_cosmetics(text: str, passes: Sequence[Pass], facts: DynamicFacts) -> str:
    """The script with all that the cosmetic passes propose, and blank lines as style guides have them."""
    for each in passes:
        text = _made(each, text, facts) if each.phase is PassPhase.COSMETIC else text
    return polished(text)


def _made(each: Pass, text: str, facts: DynamicFacts) -> str:
    """The text with all hints of a cosmetic pass carried out, rank by rank."""
    rank = -1
    while True:
        table = Statements(Source(text))
        hints = [hint for hint in each.hints(table, facts) if hint.rank > rank]
        if not hints:
            return text
        rank = min(hint.rank for hint in hints)
        cut = functools.reduce(operator.or_, (hint.cut for hint in hints if hint.rank == rank))
        made = carry_out(table, cut)
        text = made if ast.dump(ast.parse(made)) == ast.dump(table.source.tree) else text
