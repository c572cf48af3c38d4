"""A small part of each soak; the whole of them is run by hand (see the modules' heads)."""

from __future__ import annotations

import pytest

from flybisect.probe.confinement import confinement
from tests.soak import damaged, flat, hostile, kills

WAYS = ("a datagram pair", "another's shared memory", "a session by other ways", "shared memory out of sight")
"""Of the less known."""


def test_damaged_inputs() -> None:
    assert damaged.soak(30, seed=7).problems == []


@pytest.mark.skipif(not confinement().whole, reason="trials are not confined wholly here")
def test_hostile_scripts() -> None:
    chosen = ("a shell", "chmod", "UDP", "a Unix socket", "a double fork", "a forged record", *WAYS)
    tally = hostile.soak(chosen)
    assert tally.scripts == len(chosen)
    assert tally.problems == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_memory_stays_flat() -> None:
    tally = flat.soak(60)
    assert tally.problems == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_kills() -> None:
    tally = kills.soak(5, seed=1, longest=3.0)
    assert tally.kills == 5
    assert tally.problems == []
