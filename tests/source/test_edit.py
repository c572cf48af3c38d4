from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.source.edit import (
    Conflict,
    Edit,
    apply,
    merged,
)
from tests.source.profile import examples

TEXT = "0123456789äöüß漢字"


@st.composite
def edits(draw: st.DrawFn) -> list[Edit]:
    found = []
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(TEXT)))
        end = draw(st.integers(start, len(TEXT)))
        found.append(Edit(start, end, draw(st.sampled_from(["", "", "<>", "pass"]))))
    return found


def settled(given_edits: list[Edit]) -> list[Edit] | None:
    try:
        return merged(given_edits)
    except Conflict:
        return None


@given(edits())
@examples(300)
def test_what_is_settled_is_apart_and_covers_all(given_edits: list[Edit]) -> None:
    kept = settled(given_edits)
    if kept is None:
        return
    assert kept == sorted(kept)
    assert all(a.end <= b.start for a, b in pairwise(kept))
    for edit in given_edits:
        assert any(k.start <= edit.start and edit.end <= k.end for k in kept)
    assert merged(kept) == kept


@given(edits(), st.randoms(use_true_random=False))
@examples(200)
def test_order_and_repeats_do_not_matter(given_edits: list[Edit], random: object) -> None:
    shuffled = [*given_edits, *given_edits]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert settled(shuffled) == settled(given_edits)


@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))), max_size=8))
@examples(200)
def test_deletions_delete_exactly_what_they_span(spans: list[tuple[int, int]]) -> None:
    given_edits = [Edit(min(span), max(span)) for span in spans]
    left = "".join(
        char for at, char in enumerate(TEXT) if not any(e.start <= at < e.end for e in given_edits)
    )
    assert apply(TEXT, given_edits) == left


@given(edits())
@examples(200)
def test_text_outside_of_the_spans_stays(given_edits: list[Edit]) -> None:
    kept = settled(given_edits)
    if kept is None:
        return
    at, result = 0, apply(TEXT, given_edits)
    position = 0
    for edit in kept:
        between = TEXT[at : edit.start]
        assert result.startswith(between + edit.text, position)
        position += len(between) + len(edit.text)
        at = edit.end
    assert result[position:] == TEXT[at:]


def test_an_outer_edit_swallows_inner_ones() -> None:
    assert apply("abcdef", [Edit(1, 5, "X"), Edit(2, 3, "y"), Edit(4, 5)]) == "aXf"


def test_deletions_that_overlap_are_one() -> None:
    assert merged([Edit(0, 3), Edit(2, 5), Edit(4, 6)]) == [Edit(0, 6)]


@pytest.mark.parametrize(
    "pair",
    [
        [Edit(0, 3, "x"), Edit(2, 5)],
        [Edit(0, 3), Edit(2, 5, "x")],
        [Edit(0, 3, "x"), Edit(0, 3, "y")],
        [Edit(0, 3, "x"), Edit(0, 3)],
    ],
)
def test_conflicts(pair: list[Edit]) -> None:
    with pytest.raises(Conflict):
        merged(pair)


def test_insertions_at_one_place() -> None:
    assert apply("ab", [Edit(1, 1, "x")]) == "axb"
    assert apply("ab", [Edit(0, 1), Edit(1, 1, "x")]) == "xb"
