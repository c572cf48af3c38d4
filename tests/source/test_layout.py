from __future__ import annotations

import ast
import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.source.layout import reindented
from flybisect.source.measure import Size, size_of
from flybisect.source.polish import polished
from flybisect.source.source import Source, count_statements
from tests.source.profile import examples
from tests.source.programs import scripts


def body_moved(text: str, indent: str) -> str:
    """The body of the text's first statement at another indentation."""
    source = Source(text)
    body = source.tree.body[0].body  # type: ignore[attr-defined]
    return reindented(source, source.span(body[0])[0], source.span(body[-1])[1], indent)


def test_lines_move() -> None:
    text = "if 1:\n        a\n        if b:\n            c\n\n        # d\n        e\n"
    assert body_moved(text, "  ") == "a\n  if b:\n      c\n\n  # d\n  e"


def test_strings_stay() -> None:
    text = "if 1:\n    a = '''\n    x\n    '''\n    b = f'''\n    {a}\n    '''\n    c = ('d'\n         'e')\n"
    assert body_moved(text, "") == "a = '''\n    x\n    '''\nb = f'''\n    {a}\n    '''\nc = ('d'\n     'e')"


def test_a_body_behind_its_colon_stays_as_it_is() -> None:
    assert body_moved("if 1: a; b\n", "    ") == "a; b"


def test_lines_inside_strings() -> None:
    text = "a = '''\n\n'''\nb = 'c' \\\n  'd'\ne = f'''{\n1}\n'''\n"
    assert {2, 3} <= Source(text).string_lines
    assert Source(text).string_lines - {2, 3} == {7, 8}


@pytest.mark.skipif(sys.version_info < (3, 14), reason="template strings came with Python 3.14")
def test_lines_inside_template_strings() -> None:
    assert Source("t'''\n\n'''\n").string_lines == {2, 3}


@given(scripts(), st.sampled_from(["", "  ", "\t", "            "]))
@examples(40)
def test_functions_keep_their_meaning(text: str, indent: str) -> None:
    source = Source(text)
    node = next(n for n in source.tree.body if isinstance(n, ast.FunctionDef) and n.name == "compute")
    start, end = source.span(node.body[0])[0], source.span(node.body[-1])[1]
    moved = reindented(source, start, end, indent)
    again = f"def f():\n{indent}{moved}\n" if indent else moved
    body = ast.parse(again).body
    if isinstance(body[0], ast.FunctionDef) and indent:
        body = body[0].body
    assert [ast.dump(n) for n in body] == [ast.dump(n) for n in node.body]


@given(scripts())
@examples(40)
def test_polishing_keeps_the_program(text: str) -> None:
    result = polished(text)
    assert ast.dump(ast.parse(result)) == ast.dump(ast.parse(text))
    assert [line for line in result.splitlines() if line.strip()] == [
        line for line in text.splitlines() if line.strip()
    ]
    assert polished(result) == result


def test_polished() -> None:
    text = (
        "\nimport a\ndef f():\n    b = 1\n    def g(): pass\n    return g\n# of h\ndef h(): pass\n\n\n\nh()\n"
    )
    assert polished(text) == textwrap.dedent("""\
        import a


        def f():
            b = 1

            def g(): pass

            return g


        # of h
        def h(): pass


        h()
        """)


def test_sizes() -> None:
    assert size_of("a = 1\n") == Size(parts=1, nodes=5, numbers=1.0, characters=6)
    assert size_of("def f(a, b): pass\n").parts == 4
    assert size_of("f(3)\n").numbers == 2.0
    assert size_of("f(True, 'x', None)\n").numbers == 0.0
    with pytest.raises(SyntaxError):
        size_of("a =")
    assert count_statements("if a:\n    b\nelse:\n    c; d\n") == 4


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = 1", "a = 1; b"),
        ("f(a)", "f(a, b)"),
        ("f(4)", "f(8)"),
        ("f(1.0)", "f(2.5)"),
        ("f(0.0)", "f(1.0)"),
        ("f(1)", "f(1)  # so"),
        ("f(2 ** 9)", "f(1 << 9 << 9)"),
        (f"f({10**300})", f"f({10**301})"),
    ],
)
def test_order_of_sizes(smaller: str, larger: str) -> None:
    assert size_of(smaller) < size_of(larger)
