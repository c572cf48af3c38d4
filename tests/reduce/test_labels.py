"""What a failure is remembered by."""

from __future__ import annotations

import pytest

from flybisect.reduce.hint import Facts
from flybisect.reduce.labels import without_numbers
from flybisect.reduce.passes import layouts, pairs
from flybisect.script.scopes import Statements
from flybisect.script.source import Source


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


def test_a_layout_is_the_same_with_other_numbers() -> None:
    labels = {
        layouts.PASS.hints(Statements(Source(f"x = make_layout(({size}, 8), (8, {size}))\n")), Facts())[
            0
        ].label
        for size in (2, 64)
    }
    assert len(labels) == 1


def test_what_is_no_longer_read_is_another_matter() -> None:
    def labels(text: str) -> list[str]:
        return [hint.label for hint in pairs.PASS.hints(Statements(Source(text)), Facts())]

    assert labels("from m import a, b\na(b)\n") == ["import a", "import b"]
    assert labels("from m import a, b\na()\n") == ["import a", "import b unread"]
    assert labels("a, b = 1, 2\nprint(b)\n") == ["pair a = 1 unread", "pair b = 2"]
