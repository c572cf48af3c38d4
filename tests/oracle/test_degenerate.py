"""Conditions that hold although nothing differs, or nothing is measured."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.errors import UserError
from flybisect.observation import METRICS, Answer, Kernel, Observation, Outcome, Stage
from flybisect.oracle.conditions import MissingFigure, parse
from flybisect.oracle.degenerate import held_by_the_same
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import load

FIGURES = (*METRICS, 'count("ds_read*")', 'bases("ds_read*")')
EMPTY = Observation(
    Outcome.OK, Stage.DONE, "gfx942", "0.5.0", kernels=(Kernel("k", instructions={"s_endpgm": 1}),)
)


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    metrics = {name: draw(st.integers(0, 9)) for name in METRICS}
    reads = draw(st.integers(0, 9))
    instructions = {"s_endpgm": 1, "ds_read_b64": reads}
    bases = {"ds_read_b64": draw(st.integers(0, reads))}
    kernel = Kernel("k", **metrics, instructions=instructions, bases=bases)
    return replace(EMPTY, kernels=(kernel,))


@st.composite
def conditions(draw: st.DrawFn) -> str:
    """With a baseline."""
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        figure = draw(st.sampled_from(FIGURES))
        left = draw(st.sampled_from([figure, f"2 * {figure}", f"{figure} - base.{figure}"]))
        other = draw(st.sampled_from(["base.", "first.", "first.base.", ""])) + draw(st.sampled_from(FIGURES))
        right = draw(st.sampled_from([other, f"{other} + 2", "1", "3"]))
        parts.append(f"{left} {draw(st.sampled_from(['>', '>=', '<', '!=', '==']))} {right}")
    return draw(st.sampled_from([" and ", " or "])).join(parts)


@given(conditions(), observations(), observations(), observations(), observations())
def test_what_is_interesting_is_a_difference(
    text: str, this: Observation, base: Observation, first: Observation, first_base: Observation
) -> None:
    """Whatever a condition says: where the case and its baseline show the same, nothing is interesting."""
    if not parse(text).needs_baseline:
        return
    try:
        oracle = load("isa").build(Options(when=text, compares=True))
    except UserError:
        return
    start = Evidence(first, first_base)
    verdict = oracle.judge(Evidence(this, base, start))
    same = oracle.judge(Evidence(this, this, start))
    assert not same.interesting
    assert not oracle.judge(Evidence(EMPTY, EMPTY, start)).interesting
    if verdict.interesting:
        assert not _holds(text, Evidence(base, base, start))


def _holds(text: str, evidence: Evidence) -> bool:
    try:
        return parse(text).holds(evidence)
    except MissingFigure:
        return False


@pytest.mark.parametrize(
    "text",
    [
        "vgpr_spills >= 4 * base.vgpr_spills",
        "vgpr_spills >= 4 * base.vgpr_spills and vgprs > 100",
        "vgprs > 120 and sgprs < 20 and base.vgpr_spills == vgpr_spills",
        'count("ds_read*") > 3 + base.count("ds_read*") or vgprs > 200',
        'bases("ds_read*") * 2 >= base.bases("ds_read*") and lds_bytes > 40000',
        "vgprs * 2 > base.vgprs",
    ],
)
def test_a_condition_that_needs_no_difference_is_refused(text: str) -> None:
    assert held_by_the_same(parse(text)) is not None
    with pytest.raises(UserError, match="are the same"):
        load("isa").build(Options(when=text, compares=True))


@pytest.mark.parametrize(
    "text",
    [
        "vgprs > base.vgprs",
        "vgprs >= base.vgprs + 8",
        'bases("ds_read*") > 3 + base.bases("ds_read*") and vgprs > 100',
        "vgpr_spills > 0 and base.vgpr_spills == 0",
        "vgprs != base.vgprs and lds_bytes >= 0",
    ],
)
def test_a_condition_that_needs_one_is_taken(text: str) -> None:
    assert held_by_the_same(parse(text)) is None
    assert load("isa").build(Options(when=text, compares=True)).condition is not None


def test_a_baseline_that_lost_the_instruction_is_none() -> None:
    """Reads that the baseline no longer does have no bases to compare with."""
    oracle = load("isa").build(Options(when='bases("ds_read*") > 3 + base.bases("ds_read*")', compares=True))
    wide, few = (
        replace(EMPTY, kernels=(Kernel("k", instructions={"ds_read_b64": 30}, bases={"ds_read_b64": n}),))
        for n in (30, 2)
    )
    first = Evidence(wide, few)
    assert oracle.judge(first).interesting
    verdict = oracle.judge(Evidence(wide, EMPTY, first))
    assert verdict.answer is Answer.UNINTERESTING
    assert "no such instruction" in verdict.why
    assert oracle.judge(Evidence(wide, EMPTY)).interesting, "here the baseline never had it"


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ("vgprs <= 128", True),
        ('count("ds_read2*") == 0', True),
        ('bases("ds_read*") < 4', True),
        ("vgpr_spills >= 0", True),
        ("occupancy >= 4", True),
        ('count("ds_read2*") == 0 and count("ds_read*") > 0', False),
        ("vgprs > 128", False),
        ("vgpr_spills > 0", False),
        ("occupancy < 4", False),
    ],
)
def test_what_an_empty_kernel_shows(text: str, empty: bool) -> None:
    assert load("isa").build(Options(when=text)).interesting_when_empty is empty


@given(st.sampled_from(["spills", "vgprs", "isa", "auto", "legalization", "text"]))
def test_no_oracle_of_its_own_finds_an_empty_kernel_interesting(name: str) -> None:
    options = Options(compares=True, pattern="x") if name == "text" else Options(compares=True)
    oracle = load(name).build(options)
    assert not oracle.interesting_when_empty
    assert not oracle.judge(Evidence(EMPTY, EMPTY)).interesting
