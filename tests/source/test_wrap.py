"""Statements over several lines."""

from __future__ import annotations

import ast

import pytest

from flybisect.source.wrap import wrapped


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("f(a, b)", "f(a, b)"),
        ("f(aaaaaaaaa, bbbbbbbbb)", "f(\n    aaaaaaaaa,\n    bbbbbbbbb,\n)"),
        ("x = f(aaaaaaaaa, b=(1, 2))", "x = f(\n    aaaaaaaaa,\n    b=(1, 2),\n)"),
        ("return [aaaaaaaaaaaa, bbb]", "return [\n    aaaaaaaaaaaa,\n    bbb,\n]"),
        ("x = f((aaaaaaaaaaa), (b))", "x = f(\n    (aaaaaaaaaaa),\n    (b),\n)"),
        ("for i in f(aaaaaaaaa, b):", "for i in f(\n    aaaaaaaaa,\n    b,\n):"),
        ("f(aaaaaaaaaaaaaaaaaaaaaaaaaaa)", None),
        ("x = aaaaaaaaaaaaaa + bbbbbbbbbb", None),
        ("f(aaaaaaaaaaaaa for a in bbbb)", None),
        ("x = [aaaaaaaaaaaa for a in bbb]", None),
        ("f(aaaaaaaa,\n  bbbbbbbbbbbbbbbbbbbbb)", None),
    ],
)
def test_wrapped(text: str, after: str | None) -> None:
    assert wrapped(text, "", 20) == after
    if after is not None:
        body = " pass" if text.startswith("for") else ""
        assert ast.dump(ast.parse(after + body)) == ast.dump(ast.parse(text + body))


def test_wrapped_behind_an_indent() -> None:
    assert (
        wrapped("f(aaaaaaaaa, bb)", "        ", 23)
        == "f(\n            aaaaaaaaa,\n            bb,\n        )"
    )
