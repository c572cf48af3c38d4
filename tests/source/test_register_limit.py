"""The limit of registers in a script's text."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.source.edit import apply
from flybisect.source.register_limit import kernel_calls, limit_of, limiting
from flybisect.source.scopes import Statements
from flybisect.source.source import Source

HEAD = "@flyc.kernel(known_block_size=[64, 1, 1])\ndef k(A, *more, **named): pass\ndef plain(A): pass\n"


def limited(call: str, number: int) -> str | None:
    """The call's text with the number."""
    table = Statements(Source(f"{HEAD}{call}\n"))
    ((_, found),) = kernel_calls(table)
    edit = limiting(table, found, number)
    return None if edit is None else apply(table.source.text, [edit]).removeprefix(HEAD).removesuffix("\n")


PAIR = '["amdgpu-num-vgpr", "64"]'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("k().launch()", f'k(value_attrs={{"passthrough": [{PAIR}]}}).launch()'),
        ("k(A, b=1).launch()", f'k(A, b=1, value_attrs={{"passthrough": [{PAIR}]}}).launch()'),
        ("k(A, (b),).launch()", f'k(A, (b), value_attrs={{"passthrough": [{PAIR}]}}).launch()'),
        ("k(\n    A,\n    b,\n).launch()",
         f'k(\n    A,\n    b,\n    value_attrs={{"passthrough": [{PAIR}]}},\n).launch()'),
        ('k(A, value_attrs={"x": 2}).launch()',
         f'k(A, value_attrs={{"passthrough": [{PAIR}], "x": 2}}).launch()'),
        ("k(A, value_attrs={}).launch()", f'k(A, value_attrs={{"passthrough": [{PAIR}]}}).launch()'),
        ('k(value_attrs={"passthrough": [["a", "b"]]})',
         f'k(value_attrs={{"passthrough": [{PAIR}, ["a", "b"]]}})'),
        ('k(value_attrs={"passthrough": [("amdgpu-num-vgpr", "128")]})',
         'k(value_attrs={"passthrough": [("amdgpu-num-vgpr", "64")]})'),
        ("k(**options).launch()", None),
        ("k(A, value_attrs=attributes).launch()", None),
        ('k(A, value_attrs={"passthrough": pairs}).launch()', None),
        ("k(A  # all\n)", None),
    ],
)  # fmt: skip
def test_texts(before: str, after: str | None) -> None:
    assert limited(before, 64) == after


def test_only_calls_of_kernels() -> None:
    text = f"{HEAD}plain(1)\nx.k(2)\nother(3)\ndef f(k): k(4)\nk(5)\n"
    assert [ast.unparse(call) for _, call in kernel_calls(Statements(Source(text)))] == ["k(5)"]


ARGUMENTS = st.lists(st.sampled_from(["A", "(b)", "f(1, 2)", "[c]", "d=1", "e=(1,)"]), unique=True).map(
    lambda each: ", ".join(sorted(each, key=lambda text: "=" in text))
)


@given(ARGUMENTS, st.sampled_from(["", ","]), st.integers(1, 512), st.integers(1, 512))
def test_what_is_given_is_read_again(arguments: str, comma: str, first: int, second: int) -> None:
    call = f"k({arguments}{comma if arguments else ''}).launch(block=(1, 1, 1))"
    for number in (first, second):
        new = limited(call, number)
        assert new is not None
        table = Statements(Source(HEAD + new))
        ((_, found),) = kernel_calls(table)
        assert limit_of(found) == number
        call = new
    rest = [each for each in found.keywords if each.arg != "value_attrs"]
    ((_, original),) = kernel_calls(Statements(Source(f"{HEAD}k({arguments})")))
    assert [*map(ast.unparse, found.args)] == [*map(ast.unparse, original.args)]
    assert [*map(ast.unparse, rest)] == [*map(ast.unparse, original.keywords)]
