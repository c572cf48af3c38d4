from __future__ import annotations

import ast

import pytest

from flybisect.source.rounds import rounds, with_values
from flybisect.source.scopes import Statements
from flybisect.source.source import Source


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("range(4)", range(4)),
        ("fx.range_constexpr(1, 4)", range(1, 4)),
        ("range(3, -1, -1)", range(3, -1, -1)),
        ("range(n)", None),
        ("range(0, 4, 0)", None),
        ("enumerate(4)", None),
    ],
)
def test_rounds_that_are_known(text: str, found: range | None) -> None:
    assert rounds(ast.parse(text, mode="eval").body) == found


def body_with(text: str, value: str) -> str | None:
    table = Statements(Source(text))
    loop = table.all[0]
    (name, scope) = next(iter(loop.binds))
    first, last = (table.all[at] for at in (loop.parts[0], loop.parts[-1]))
    return with_values(table, loop, first.start, last.end, {table.owner(name, scope): value})


def test_a_value_in_the_place_of_a_variable() -> None:
    assert body_with("for i in range(2):\n    f(i, [i for j in i])\n", "7") == "f(7, [7 for j in 7])"


@pytest.mark.parametrize("change", ["i += 1", "i = 2", "del i"])
def test_none_where_the_variable_is_given_a_value_inside(change: str) -> None:
    assert body_with(f"for i in range(2):\n    f(i)\n    {change}\n", "7") is None
