from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.source.consequences import Consequences
from flybisect.source.cut import Cut, close
from flybisect.source.edit import Edit
from flybisect.source.liveness import Liveness
from flybisect.source.scopes import Statements
from flybisect.source.source import Source
from tests.source.profile import examples
from tests.source.programs import scripts

SCRIPT = """\
import math
SIZE = 4
LIMIT = SIZE * 2
if LIMIT:
    area = math.sqrt(SIZE)
    print(area)
def helper(value):
    return value + LIMIT
print(helper(1))
"""


def gone(text: str, cut: Cut) -> list[int]:
    table = Statements(Source(text))
    return sorted(Consequences(table, Liveness(table)).of(cut))


@pytest.mark.parametrize(
    ("statement", "taken"),
    [
        (0, [0, 3, 4, 5]),  # What reads it, the branch that is empty then; others read SIZE and LIMIT.
        (5, [0, 3, 4, 5]),  # What nothing reads any more.
        (8, [6, 7, 8]),
    ],
)
def test_readers_and_what_nothing_reads(statement: int, taken: list[int]) -> None:
    found = gone(SCRIPT, Cut(statements=frozenset([statement])))
    assert found == taken


def test_what_an_edit_alone_read_goes() -> None:
    table = Statements(Source(SCRIPT))
    call = SCRIPT.index("helper(1)")
    edit = Edit(call, call + len("helper(1)"), "LIMIT")
    assert Consequences(table, Liveness(table)).of(Cut(edits=frozenset([edit]))) == {6, 7}


def test_what_reads_a_replaced_statement_stays() -> None:
    assert gone(SCRIPT, Cut(bypassed=frozenset([1]))) == [1]


@given(scripts(), st.integers(0, 10**6))
@examples(60)
def test_mostly_what_is_said_exactly(text: str, number: int) -> None:
    """The cut itself is in it, and no more is than the statements of the script; most are the same."""
    table = Statements(Source(text))
    if not table.all:
        return
    cut = Cut(statements=frozenset([number % len(table.all)]))
    liveness = Liveness(table)
    near = Consequences(table, liveness).of(cut)
    exact = liveness.with_unread(close(table, cut)).statements
    assert set(table.subtree(number % len(table.all))) <= near <= set(range(len(table.all)))
    assert 2 * len(near & exact) >= len(near)
