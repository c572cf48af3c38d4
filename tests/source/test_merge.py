from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.source.merge import merge
from tests.source.profile import examples

COMMON = "a\nb\nc\nd\ne\n"


@pytest.mark.parametrize(
    ("ours", "theirs", "both"),
    [
        ("a\nc\nd\ne\n", "a\nb\nc\ne\n", "a\nc\ne\n"),
        ("a\nx\nb\nc\nd\ne\n", "b\nc\nd\n", "x\nb\nc\nd\n"),
        ("a\nB\nc\nd\ne\n", "a\nb\nc\nD\ne\n", "a\nB\nc\nD\ne\n"),
        (COMMON, "c\n", "c\n"),
        ("c\n", COMMON, "c\n"),
        ("a\nb\nmine\nd\ne\n", "a\nb\ntheirs\nd\n", "a\nb\nmine\nd\n"),
    ],
)
def test_changes_of_both(ours: str, theirs: str, both: str) -> None:
    assert merge(COMMON, ours, theirs) == both


texts = st.lists(st.sampled_from("abcd"), max_size=12).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(texts, texts)
@examples(200)
def test_with_one_change_alone_it_is_that(common: str, other: str) -> None:
    assert merge(common, other, common) == other
    assert merge(common, common, other) == other
    assert merge(common, other, other) == other


@given(st.integers(1, 12), st.sets(st.integers(0, 11)), st.sets(st.integers(0, 11)))
@examples(200)
def test_lines_that_both_took_are_gone_and_no_line_is_made_up(
    count: int, mine: set[int], theirs: set[int]
) -> None:
    lines = [f"{number}\n" for number in range(count)]

    def kept(gone: set[int]) -> str:
        return "".join(line for number, line in enumerate(lines) if number not in gone)

    found = merge("".join(lines), kept(mine), kept(theirs)).splitlines(keepends=True)
    assert not set(found) & {lines[number] for number in mine if number < count}
    assert found == [line for line in lines if line in found]
