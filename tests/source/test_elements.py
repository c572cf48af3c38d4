from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.source.edit import apply
from flybisect.source.elements import (
    Element,
    default_of,
    members,
    pair,
    pairs,
    removal_edits,
)
from flybisect.source.source import Source
from tests.source.profile import examples


def owner_of(source: Source) -> ast.AST:
    """The list that the text's first statement is about."""
    node = source.tree.body[0]
    return node.value if isinstance(node, ast.Expr) else node


def without(text: str, *positions: int) -> str:
    source = Source(text)
    owner = owner_of(source)
    elements = [Element(owner, members(owner)[at]) for at in positions]
    return apply(text, removal_edits(source, elements))


@pytest.mark.parametrize(
    ("before", "positions", "after"),
    [
        ("f(a, b, c)", [0], "f(b, c)"),
        ("f(a, b, c)", [1], "f(a, c)"),
        ("f(a, b, c)", [2], "f(a, b)"),
        ("f(a, b, c)", [0, 2], "f(b)"),
        ("f(a, b, c)", [0, 1, 2], "f()"),
        ("f(a)", [0], "f()"),
        ("f(a,)", [0], "f()"),
        ("f(a, b,)", [1], "f(a,)"),
        ("f((a), (b))", [0], "f((b))"),
        ("f((a), (b))", [1], "f((a))"),
        ("f((a))", [0], "f()"),
        ("f(((a)), b)", [0], "f(b)"),
        ("f( a , b )", [0], "f( b )"),
        ("f( a , b )", [1], "f( a )"),
        ("f((yield), b)", [1], "f((yield))"),
        ("f((a + b) * c, d)", [0], "f(d)"),
        ("f(a * (b + c), d)", [0], "f(d)"),
        ("f((a)(b), c)", [0], "f(c)"),
        ("f(a, (b)(c))", [1], "f(a)"),
        ("f(x=1, y=(2))", [1], "f(x=1)"),
        ("f(x=1, y=2)", [0], "f(y=2)"),
        ("f(*a, x=1)", [1], "f(*a)"),
        ("f(i for i in a)", [0], "f()"),
        ("f((i for i in a), b)", [0], "f(b)"),
        ("f(x=1, *a)", [0], "f(*a)"),
        ("f(x=1, **k)", [0], "f(**k)"),
        ("f('),(', b)", [0], "f(b)"),
        ("f('ä', 'ö')", [0], "f('ö')"),
        ("f(\n    a,\n    b,\n)", [1], "f(\n    a,\n)"),
        ("f(\n    a,\n    b,\n)", [0], "f(\n    b,\n)"),
        ("f(\n    a,\n    b,\n)", [0, 1], "f(\n    \n)"),
        ("f(\n    a,  # of a\n    b,  # of b\n    c\n)", [1], "f(\n    a,  # of a\n    c\n)"),
        ("f(\n    a,  # of a\n    (b),\n    c=1,\n)", [2], "f(\n    a,  # of a\n    (b),\n)"),
        ("f(\n    a,  # of a\n    b)", [1], "f(\n    a)"),
        ("f(  # (,\n    (a),  # ),\n    (b)\n)", [0], "f(  # (,\n    (b)\n)"),
        ("def f(a, b=1, *, c=2): pass", [1], "def f(a, *, c=2): pass"),
        ("def f(a, b=(1), c=2): pass", [1], "def f(a, c=2): pass"),
        ("def f(a: int = 1, b: str = ''): pass", [0], "def f(b: str = ''): pass"),
        ("def f(a): pass", [0], "def f(): pass"),
        ("import a, b.c, d as e", [1], "import a, d as e"),
        ("from m import (a, b as c, d)", [0, 1], "from m import (d)"),
        ("from m import (\n    a,\n    b,\n)", [1], "from m import (\n    a,\n)"),
        ("with a as b, c: pass", [0], "with c: pass"),
        ("with a as b, c: pass", [1], "with a as b: pass"),
        ("[a, b, c]", [1], "[a, c]"),
        ("[a]", [0], "[]"),
        ("{a, b}", [0], "{b}"),
    ],
)
def test_members_leave_with_their_comma(before: str, positions: list[int], after: str) -> None:
    result = without(before, *positions)
    assert result == after
    assert len(members(owner_of(Source(result)))) == len(members(owner_of(Source(before)))) - len(positions)


def unpaired(text: str, *positions: int) -> str:
    source = Source(text)
    node = source.tree.body[0]
    assert isinstance(node, ast.Assign)
    return apply(text, removal_edits(source, [e for at in positions for e in pair(node, at)]))


@pytest.mark.parametrize(
    ("before", "positions", "after"),
    [
        ("a, b = x, y", [0], "b = y"),
        ("a, b = x, y", [1], "a = x"),
        ("a, b, c = x, y, z", [1], "a, c = x, z"),
        ("a, b, c = x, y, z", [0, 2], "b = y"),
        ("(a, b) = (x, y)", [0], "b = y"),
        ("a, b, = x, y,", [1], "a, = x,"),
        ("a, b, c = (x), (y + 1), f(z)", [2], "a, b = (x), (y + 1)"),
        ("a, b = (x), (y)", [0], "b = (y)"),
        ("a, b = (x, y), z", [1], "a = (x, y)"),
    ],
)
def test_pairs_leave_both_sides(before: str, positions: list[int], after: str) -> None:
    result = unpaired(before, *positions)
    expected = ast.dump(ast.parse(after))
    assert ast.dump(ast.parse(result)) == expected, result


@pytest.mark.parametrize("text", ["a = x, y", "a, b = x", "a, *b = x, y", "a, b = *x, y", "a, b = c = 1, 2"])
def test_no_pairs(text: str) -> None:
    assert pairs(Source(text).tree.body[0]) == []


def test_defaults() -> None:
    node = Source("def f(a, b=1, /, c=2, *, d, e=3): pass").tree.body[0]
    assert isinstance(node, ast.FunctionDef)
    found = {arg.arg: default_of(node.args, arg) for arg in members(node) if isinstance(arg, ast.arg)}
    assert {name: value and ast.unparse(value) for name, value in found.items()} == {
        "a": None, "b": "1", "c": "2", "d": None, "e": "3",
    }  # fmt: skip


ITEMS = st.sampled_from(
    ["a", "(b)", "((c))", "f(d, 1)", "(e, g)", "h[1, 2]", "'(,'", "(i)(j)", "k + (l)", "-(m)"]
)


@given(
    st.lists(ITEMS, min_size=1, max_size=6), st.data(), st.sampled_from([", ", ",", " ,\n  "]), st.booleans()
)
@examples(200)
def test_any_arguments(items: list[str], data: st.DataObject, comma: str, trailing: bool) -> None:
    going = data.draw(st.sets(st.integers(0, len(items) - 1), min_size=1))
    text = f"call({comma.join(items)}{',' * trailing})"
    left = [item for at, item in enumerate(items) if at not in going]
    result = ast.parse(without(text, *sorted(going)))
    assert ast.dump(result) == ast.dump(ast.parse(f"call({', '.join(left)})"))
