"""How often to look, against closed forms of the binomial distribution."""

from __future__ import annotations

import pytest

from flybisect.search.reproduction_rate import MISSED, MOST, Rate, least_rate


@pytest.mark.parametrize("runs", [1, 2, 5, 20])
def test_the_least_rate_where_every_run_or_one_showed_it(runs: int) -> None:
    """p**n and 1 - (1 - p)**n are the chances of n of n, and of one or more of n."""
    assert least_rate(runs, runs) == pytest.approx(0.01 ** (1 / runs), rel=1e-12)
    assert least_rate(1, runs) == pytest.approx(1 - 0.99 ** (1 / runs), rel=1e-12)


def test_the_least_rate_in_between() -> None:
    """Of two or more of three: 3 p**2 - 2 p**3."""
    least = least_rate(2, 3)
    assert 3 * least**2 - 2 * least**3 == pytest.approx(0.01, rel=1e-9)
    assert least_rate(0, 20) == 0.0


@pytest.mark.parametrize(("shown", "repeats"), [(20, 1), (19, 4), (15, 8), (10, 17), (8, 26), (7, None)])
def test_repeats_of_twenty_runs(shown: int, repeats: int | None) -> None:
    assert Rate(shown, 20).repeats == repeats


@pytest.mark.parametrize("shown", range(1, 20))
def test_as_many_repeats_as_it_takes_and_no_more(shown: int) -> None:
    repeats, missed = Rate(shown, 20).repeats, 1 - least_rate(shown, 20)
    if repeats is None:
        assert missed**MOST > MISSED
    else:
        assert missed**repeats <= MISSED < missed ** (repeats - 1)


def test_what_always_or_never_shows() -> None:
    assert Rate(1, 1).repeats == Rate(3, 3).repeats == 1
    assert Rate(0, 20).repeats is None
    assert str(Rate(3, 20)) == "3 of 20 runs"
