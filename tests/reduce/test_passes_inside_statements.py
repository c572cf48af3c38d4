"""Passes that change what is inside of statements: the texts that their hints give, each alone."""

from __future__ import annotations

import pytest

from flybisect.reduce.hint import DynamicFacts, Pass
from flybisect.reduce.passes import (
    annotated,
    arguments,
    comments,
    constants,
    expressions,
    folds,
    layouts,
    sizes,
    tidy,
)
from flybisect.source.instrument import ObservedTypes
from flybisect.source.scopes import Statements
from flybisect.source.source import Source
from tests.reduce.hints import texts


def test_sizes() -> None:
    text = "M = 128\nf(M, 64, 64, 3, 128)\n@k(block=[64, 1])\ndef g(): h(64)\n"
    assert texts(sizes.PASS, text) == [text.replace("128", "64"), text.replace("64", "32")]


def test_layouts() -> None:
    assert texts(layouts.PASS, "f(((2, 4), 8), ((1, (2, 3)), -1))\n") == [
        "f((2, 8), (1, -1))\n",
        "f(((2, 4),), ((1, (2, 3)),))\n",
    ]
    assert texts(layouts.PASS, "f((1, 2, 3), (4, 5, 6), a)\n") == ["f((1, 2), (4, 5), a)\n"]
    assert texts(layouts.PASS, "f((1,), ())\n") == []
    assert texts(layouts.PASS, "f((1, 2), (4, 5, 6))\nf((n, (2, m)))\n") == []


def test_annotations() -> None:
    text = "def f(a: int, *b: str, c: T = 1) -> list[int]:\n    d: int = a\n    return d\n"
    assert texts(annotated.PASS, text) == [
        "def f(a, *b, c = 1):\n    d: int = a\n    return d\n",
        text.replace("d: int", "d"),
    ]
    assert texts(annotated.PASS, "@k\ndef f(a: int): pass\nclass C:\n    x: int = 1\n") == []
    assert texts(annotated.PASS, "f(f'{a}', f'b')\n") == ["f(\"\", f'b')\n"]


def test_folds() -> None:
    assert texts(folds.PASS, "f(2 * 3 + 1, -4 // 2, a * 2, 1 / 2, 3 % 0, 1 << 70)\n") == [
        "f(7, -4 // 2, a * 2, 1 / 2, 3 % 0, 1 << 70)\n",
        "f(2 * 3 + 1, (-2), a * 2, 1 / 2, 3 % 0, 1 << 70)\n",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@d(x=1)\ndef f(): pass\n", ["@d\ndef f(): pass\n", "def f(): pass\n"]),
        ("@d\n@e\ndef f(): pass\n", ["@e\ndef f(): pass\n", "@d\ndef f(): pass\n"]),
        ("if 1:\n    @d\n    def f(): pass\n", ["if 1:\n    def f(): pass\n"]),
        ("f(1, a=2, b=3)\n", ["f(1, b=3)\n", "f(1, a=2)\n"]),
        ("f(**k)\n", ["f()\n"]),
    ],
)
def test_arguments(before: str, after: list[str]) -> None:
    assert texts(arguments.PASS, before) == after


def test_constants() -> None:
    text = "f(64, 1, 0, 2.5, True, 'x', [3])\n"
    assert texts(constants.TO_ONE, text) == [text.replace("64", "1")]
    failed = DynamicFacts(failed=frozenset({": f(# number 0: 64 -> 32"}))
    assert texts(constants.TO_ONE, text, failed) == []
    assert texts(constants.HALVED, text) == [
        text.replace("64", "32"), text.replace("2.5", "1.0"), text.replace("3", "1")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = a + b\n", {"x = a\n", "x = b\n", "x = 0\n"}),
        ("x = f(a) or b\n", {"x = f(a)\n", "x = b\n", "x = a or b\n"}),
        ("x = a if b else c\n", {"x = a\n", "x = c\n"}),
        ("x = -a\n", {"x = a\n"}),
        ("f(a)\n", set()),
        ("x = k(a).launch(b)\n", {"x = a.launch(b)\n"}),
        ("import fx\nx = fx.thread_idx.x\n", {"import fx\nx = 0\n"}),
        ("import fx\nx = f(fx.Int32, a)\n", {"import fx\nx = a\n"}),
        ("x = f('a'\n      'b', c)\n", {"x = c\n"}),
        ("a, b = (i for i in (x, y))\n", {"a, b = (x, y)\n"}),
        ("x = [i + 1 for i in f(y)]\n", {"x = [i for i in f(y)]\n", "x = [0 for i in f(y)]\n",
                                         "x = [i + 1 for i in y]\n"}),
    ],
)  # fmt: skip
def test_expressions(before: str, after: set[str]) -> None:
    assert set(texts(expressions.PASS, before)) == after


def test_expressions_of_another_kind_are_left_out() -> None:
    facts = DynamicFacts(
        kinds=ObservedTypes({("", "f(a)"): "Vector", ("", "a"): "Tensor", ("", "b"): "Vector"})
    )
    assert texts(expressions.PASS, "x = f(a)\n", facts) == []
    facts = DynamicFacts(
        kinds=ObservedTypes({("", "f(a, b)"): "Vector", ("", "a"): "Tensor", ("", "b"): "Vector"})
    )
    assert texts(expressions.PASS, "x = f(a, b)\n", facts) == ["x = b\n"]


def test_comments_and_blank_lines() -> None:
    text = "# a\nx = '# b'  # c\n\n\n\n\nif x:\n\n    # d\n    y\n"
    found = texts(comments.PASS, text)
    assert found[0] == "x = '# b'\n\n\n\n\nif x:\n\n    y\n"
    assert found[1] == "# a\nx = '# b'  # c\n\n\nif x:\n    # d\n    y\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(\n    a,\n    b,\n)\n", ["f(a, b)\n"]),
        ("def f(\n    a,\n    b=1,\n): pass\n", ["def f(a, b=1): pass\n"]),
        ("x = f(a, \\\n      b)\n", ["x = f(a, b)\n"]),
        ("f(\n    a,  # why\n)\n", []),
        ("f('''\n''')\n", []),
        ("f(a, b)\n", []),
        ("f((a), ((b)))\nx = (y)\n", ["f(a, b)\nx = y\n"]),
        ("x = a - ((b + c))\n", ["x = a - (b + c)\n"]),
        ("f((a + 1) * 2, (yield_ + 1), (c, d))\n", ["f((a + 1) * 2, yield_ + 1, (c, d))\n"]),
        (f"f(\n    {'a' * 60},\n    {'b' * 60},\n)\n", []),
        (f"f({'a' * 60}, {'b' * 60})\n", [f"f(\n    {'a' * 60},\n    {'b' * 60},\n)\n"]),
        (
            f"for i in f({'a' * 60}, b={'b' * 60}): g\n",
            [f"for i in f(\n    {'a' * 60},\n    b={'b' * 60},\n): g\n"],
        ),
    ],
)
def test_tidy(before: str, after: list[str]) -> None:
    assert texts(tidy.PASS, before) == after
    assert texts(tidy.PASS, before, DynamicFacts(original=before)) == []


def test_brackets_that_a_call_of_the_original_has_too() -> None:
    assert texts(tidy.PASS, "x = [(r)]\ny = (a)\n", DynamicFacts(original="f(r)\ny = (a)\n")) == [
        "x = [r]\ny = (a)\n"
    ]


def test_what_mostly_holds_is_tried_together() -> None:
    def likely(each: Pass, text: str, kinds: ObservedTypes | None = None) -> list[str]:
        found = each.hints(Statements(Source(text)), DynamicFacts(kinds=kinds or ObservedTypes()))
        return [
            next(iter(hint.cut.edits)).text if hint.cut.edits else hint.label for hint in found if hint.likely
        ]

    host, kernel = "run(t.zeros(64, dtype=t.int32))\n", "def f(a):\n    b = g(a, n=64)\n"
    assert likely(constants.HALVED, kernel + host) == ["32"]
    assert likely(arguments.PASS, kernel + host) == [": t.zeros(64, dtype=t.int32) - dtype"]
    converted = "import m\ndef f(a):\n    b = m.Int32(a) + m.g(a, 2)\n"
    assert likely(expressions.PASS, converted) == ["a"]
