"""What a failure is remembered by."""

from __future__ import annotations

import pytest

from flybisect.reduce.hint import DynamicFacts
from flybisect.reduce.labels import label_of, outline_of, without_numbers
from flybisect.reduce.passes import layouts, pairs
from flybisect.source.scopes import Statements
from flybisect.source.source import Source


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("x * 64 -> x", "x * # -> x"),
        ("x * 1 -> x", "x * 1 -> x"),
        ("f(0, 10, 1.0, 0x1, v1)", "f(0, #, #, #, v1)"),
    ],
)
def test_numbers_that_change_nothing_stay(text: str, label: str) -> None:
    assert without_numbers(text) == label


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a", "a"),
        ("x * 1", "x * 1"),
        ("x * 64", "x * #"),
        ("a * b + 64", "… * … + #"),
        ("fx.slice(fx.zipped_divide(A, (1, 1)), (None, tid))", "fx.slice(fx.zipped_divide(…, …), (…, …))"),
        ("tiled.thr_slice(tid).make(fx.f(C, 2))", "tiled.thr_slice(…).make(fx.f(…, …))"),
        ("[a[i] for i in range(9)]", "[…[…] for i in range(…)]"),
        ("f(x)[3]", "f(…)[#]"),
    ],
)
def test_an_outline_leaves_out_what_changes_often(text: str, told: str) -> None:
    assert outline_of(text) == told


def test_a_store_is_the_same_at_another_index() -> None:
    labels = set()
    for index in ("0", "i * 4 + j", "f(i)"):
        table = Statements(Source(f"out[{index}] = x\n"))
        labels.add(label_of(table, table.all[0]))
    assert labels == {": out[] ="}


def test_a_layout_is_the_same_with_other_numbers() -> None:
    labels = {
        layouts.PASS.hints(
            Statements(Source(f"x = make_layout(({size}, 8), (8, {size}))\n")), DynamicFacts()
        )[0].label
        for size in (2, 64)
    }
    assert len(labels) == 1


def test_what_is_no_longer_read_is_another_matter() -> None:
    def labels(text: str) -> list[str]:
        return [hint.label for hint in pairs.PASS.hints(Statements(Source(text)), DynamicFacts())]

    assert labels("from m import a, b\na(b)\n") == ["import a", "import b"]
    assert labels("from m import a, b\na()\n") == ["import a", "import b unread"]
    assert labels("a, b = 1, 2\nprint(b)\n") == ["pair a = 1 unread", "pair b = 2"]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("(a + fx.Int32(b)) ^ 3\n", ": value BinOp"),
        ("tiled.get_slice(0).retile(fx.make_view(a))\n", ": tiled.get_slice(…).retile"),
        ("kern(a).launch(grid=(1, 1, 1))\n", ": kern(…).launch"),
        ("fx.copy(atom, a, b)\n", ": fx.copy(atom"),
    ],
)
def test_a_value_that_nobody_uses_is_the_same_when_it_gets_shorter(text: str, label: str) -> None:
    table = Statements(Source(text))
    assert label_of(table, table.all[0]) == label
