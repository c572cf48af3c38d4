from __future__ import annotations

import pytest

from flybisect.bisect.attribution import (
    Attribution,
    Endpoint,
    Owner,
    attribute,
)
from flybisect.bisect.test_record import TestRecord
from flybisect.git.build_inputs import Inputs
from flybisect.git.landmarks import Landmark
from flybisect.observation import Answer, Verdict
from flybisect.search.bisect import Side

GOOD, BAD, SKIP = Side.GOOD, Side.BAD, Side.SKIP
OLD, NEW = Landmark("1.0", "a" * 40), Landmark("2.0", "b" * 40)


def ends(native: str, python: str, newer: Landmark | None = NEW) -> tuple[Endpoint, Endpoint]:
    """The older one is built of `n` and `p`, the newer one of what is given."""
    return (
        Endpoint("a" * 40, Inputs("n", "p", "l", "s", llvm_pin="1"), GOOD, OLD),
        Endpoint("b" * 40, Inputs(native, python, "l", "s", llvm_pin="2"), BAD, newer),
    )


def run(over_older: Side, over_newer: Side) -> Attribution:
    def cross(end: Endpoint, mark: Landmark) -> TestRecord:
        side = over_older if mark is OLD else over_newer
        return TestRecord(-1, end.commit, side, Verdict(Answer.UNRESOLVED))

    return attribute(*ends("N", "P"), cross)


@pytest.mark.parametrize(
    ("over_older", "over_newer", "owner", "lenders"),
    [
        (BAD, GOOD, Owner.PYTHON, [NEW, OLD]),
        (GOOD, BAD, Owner.NATIVE, []),
        (BAD, BAD, Owner.EITHER, [OLD]),
        (GOOD, GOOD, Owner.BOTH, [NEW]),
        (SKIP, GOOD, Owner.PYTHON, [NEW]),
        (BAD, SKIP, Owner.PYTHON, [OLD]),
        (SKIP, BAD, Owner.NATIVE, []),
        (GOOD, SKIP, Owner.NATIVE, []),
        (SKIP, SKIP, Owner.UNKNOWN, []),
    ],
)
def test_two_by_two(over_older: Side, over_newer: Side, owner: Owner, lenders: list[Landmark]) -> None:
    found = run(over_older, over_newer)
    assert found.owner is owner
    assert list(found.lenders) == lenders
    assert len(found.cells) == 2
    assert found.llvm_changes


@pytest.mark.parametrize(
    ("native", "python", "owner"),
    [("n", "P", Owner.PYTHON), ("N", "p", Owner.NATIVE), ("n", "p", Owner.OTHER)],
)
def test_halves_that_do_not_differ_cost_no_test(native: str, python: str, owner: Owner) -> None:
    def cross(end: Endpoint, mark: Landmark) -> TestRecord:
        raise AssertionError("nothing is to be tried")

    found = attribute(*ends(native, python), cross)
    assert (found.owner, found.cells) == (owner, ())
    unknown = attribute(*ends("N", "P", newer=None), cross)
    assert unknown.owner is Owner.UNKNOWN
    assert "newer end" in unknown.why
