"""How much of a difference stays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.observation import Kernel, Observation, Outcome, Stage
from flybisect.oracle.conditions import parse
from flybisect.oracle.margins import with_margins
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import load

NONE = Observation(Outcome.OK, Stage.DONE, "gfx942", "0.5.0")


def registers(count: int) -> Observation:
    return replace(NONE, kernels=(Kernel("k", vgprs=count, instructions={"v_add_f32": count}),))


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("vgprs > base.vgprs", "vgprs - base.vgprs >= (first.vgprs - first.base.vgprs) / 2"),
        ("base.vgprs < vgprs", "vgprs - base.vgprs >= (first.vgprs - first.base.vgprs) / 2"),
        (
            "occupancy < base.occupancy and vgprs > 9",
            "base.occupancy - occupancy >= (first.base.occupancy - first.occupancy) / 2",
        ),
        ("vgpr_spills > base.vgpr_spills", ""),
        ('count("scratch_load*") > base.count("scratch_load*")', ""),
        ("vgprs >= base.vgprs + 1", ""),
        ("vgprs > base.vgprs + 1", ""),
        ("vgprs > base.vgprs or sgprs > base.sgprs", ""),
        ("vgprs > 128", ""),
        ("vgprs > first.base.vgprs", ""),
    ],
)
def test_what_is_added(text: str, added: str) -> None:
    found = with_margins(text)
    assert found == (f"{text} and {added}" if added else text)
    assert parse(found).terms >= parse(text).terms


@given(st.integers(2, 300), st.integers(0, 300), st.integers(0, 300), st.integers(0, 300))
def test_half_of_the_first_difference_stays(first: int, first_base: int, this: int, base: int) -> None:
    start = Evidence(registers(first), registers(first_base))
    for when in ("vgprs > base.vgprs", 'count("*") > base.count("*")'):
        oracle = load("isa").build(Options(when=when, compares=True))
        verdict = oracle.judge(Evidence(registers(this), registers(base), start))
        enough = this > base and 2 * (this - base) >= first - first_base
        assert verdict.interesting is enough
        assert oracle.judge(start).interesting is (first > first_base)


def test_the_signature_is_what_the_user_wrote() -> None:
    oracle = load("isa").build(Options(when="vgprs > base.vgprs", compares=True))
    verdict = oracle.judge(Evidence(registers(9), registers(3)))
    assert str(verdict.signature) == "isa: vgprs > base.vgprs"
    assert "/ 2" in str(oracle.condition)


def test_what_is_left_is_said_for_a_condition_as_well() -> None:
    oracle = load("isa").build(Options(when='count("*") > base.count("*") + 1', compares=True))
    first = Evidence(registers(40), registers(20))
    margins = oracle.margins(Evidence(registers(13), registers(10), first))
    assert {name: (each.first, each.left, each.shrank) for name, each in margins.items()} == {
        "count('*')": (20, 3, True)
    }
