"""In which order releases are looked at for one that shows a bug."""

from __future__ import annotations

import pytest

from flybisect.workflows.last_affected import FIRST, order


@pytest.mark.parametrize("count", [2, 3, FIRST, FIRST + 1, 18, 40])
def test_both_ends_first_and_every_one_once(count: int) -> None:
    found = order(count)
    assert sorted(found) == list(range(count))
    assert {0, count - 1} <= set(found[:FIRST])
    assert found[0] == count - 1
