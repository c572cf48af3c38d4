"""Which hints go together, before anything is built."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from flybisect.reduce.compatibility import Compatibility
from flybisect.reduce.hint import DynamicFacts, Hint
from flybisect.reduce.passes import names, statements
from flybisect.source.check import unbound_names
from flybisect.source.cut import Cut, carry_out, close
from flybisect.source.edit import Conflict, Edit
from flybisect.source.scopes import Statements
from flybisect.source.source import Source
from tests.source.profile import examples
from tests.source.programs import scripts


def of(text: str, *cuts: Cut) -> frozenset[int]:
    table = Statements(Source(text))
    together = Compatibility(table, [Hint(f"{at}", cut) for at, cut in enumerate(cuts)])
    return together.group(frozenset(range(len(cuts))))


def inline(text: str, number: int, value: str, place: str) -> Cut:
    at = text.index(place)
    return Cut(frozenset([number]), edits=frozenset([Edit(at, at + len(place), value)]))


def test_a_chain_of_names() -> None:
    text = "a = 1\nb = a + 2\nc = b * 3\nd = c - 4\nprint(d)\n"
    first, second = inline(text, 0, "1", "a + 2"), inline(text, 1, "a + 2", "b * 3")
    third, fourth = inline(text, 2, "b * 3", "c - 4"), inline(text, 3, "c - 4", "d)")
    assert of(text, first, second) == {0}
    assert of(text, second, fourth) == {0, 1}
    assert of(text, first, second, third, fourth) == {0, 2}


def test_names_of_other_functions() -> None:
    text = "def f():\n    a = 1\n    return a\ndef g():\n    b = 2\n    a = b\n    return a\n"
    at = text.index("= b") + 2
    gone, read = Cut(frozenset([1])), Cut(edits=frozenset([Edit(at, at + 1, "a")]))
    assert of(text, gone, read) == {0, 1}


def test_edits_of_the_same_place() -> None:
    text = "x = 10 + 20\n"
    whole, part = Cut(edits=frozenset([Edit(4, 11, "1")])), Cut(edits=frozenset([Edit(4, 6, "1")]))
    other = Cut(edits=frozenset([Edit(9, 11, "1")]))
    assert of(text, whole, part, other) == {0}
    assert of(text, part, other, whole) == {0, 1}
    assert of(text, part, part) == {0}


@given(scripts(), st.data())
@examples(30)
def test_what_it_tells_apart_cannot_be_built(text: str, data: st.DataObject) -> None:
    table = Statements(Source(text))
    found = [*names.PASS.hints(table, DynamicFacts()), *statements.PASS.hints(table, DynamicFacts())]
    if len(found) < 2:
        return
    one, other = (found[data.draw(st.integers(0, len(found) - 1))] for _ in range(2))
    together = Compatibility(table, [one, other])
    if one is other or together.group(frozenset([0, 1])) == {0, 1}:
        return
    # Where the edit's place goes as well it can, and the next sweep sees to it.
    joined = one.cut | other.cut
    inside = [(table.all[at].start, table.all[at].end) for at in joined.statements]
    if any(a <= edit.start < b for edit in joined.edits for a, b in inside):
        return
    try:
        built = carry_out(table, close(table, joined))
    except (Conflict, SyntaxError):
        return
    assert not unbound_names(built) <= unbound_names(text)
