"""Figures ranked by how much they differ from the baseline's, and the one that a reduction follows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.errors import UserError
from flybisect.observation import METRICS, Kernel, Observation, Outcome, Stage
from flybisect.oracle.conditions import parse
from flybisect.oracle.degenerate import held_by_the_same
from flybisect.oracle.differences import (
    ALL,
    Difference,
    FigureKind,
    checked_figure,
    difference,
    differences,
    in_words,
    steadiest,
)
from flybisect.oracle.plugin import Evidence

COMPARED = Path(__file__).parent.parent / "data" / "compared"
MNEMONICS = ("ds_read_b64", "v_or_b32_e32", "v_mov_b32_e32", "scratch_load_dword", "buffer_load_dword")
COUNTS = st.dictionaries(st.sampled_from(MNEMONICS), st.integers(0, 90))


def recast_iter() -> Evidence:
    """seeds/recast_iter on FlyDSL 0.3.0 for gfx950, and with --recast."""
    this, base = (
        Observation.from_json((COMPARED / f"recast_iter@{name}.json").read_text())
        for name in ("this", "base")
    )
    return Evidence(this, base)


def seen(*kernels: Kernel, arch: str = "gfx942") -> Observation:
    return Observation(Outcome.OK, Stage.DONE, arch, "0.5.0", kernels=kernels)


@st.composite
def kernels(draw: st.DrawFn) -> Kernel:
    metrics = {name: draw(st.integers(0, 300)) for name in METRICS}
    instructions = {**draw(COUNTS), "s_endpgm": 1}
    return Kernel("k", **metrics, instructions=instructions, bases=draw(COUNTS))


EVIDENCE = st.builds(lambda this, base: Evidence(seen(this), seen(base)), kernels(), kernels())


def test_the_cause_is_told_from_the_symptom_on_a_real_kernel() -> None:
    found = differences(recast_iter())
    assert (found[0].figure, found[0].this, found[0].base) == ("vgpr_spills", 38, 0)
    assert found[0].kind is FigureKind.PRESSURE
    chosen = steadiest(found)
    assert chosen is not None
    assert (chosen.figure, chosen.this, chosen.base) == ('bases("ds_read_b64_tr_b16")', 34, 2)
    assert chosen.condition == (
        'bases("ds_read_b64_tr_b16") >= 16 and '
        'bases("ds_read_b64_tr_b16") - base.bases("ds_read_b64_tr_b16") >= 16 and '
        'base.bases("ds_read_b64_tr_b16") <= 2'
    )


@given(EVIDENCE)
def test_all_that_differs_is_ranked_by_ratio(evidence: Evidence) -> None:
    found = differences(evidence)
    ratios = [each.ratio for each in found]
    assert ratios == sorted(ratios, reverse=True)
    assert all(ratio > 1 for ratio in ratios)
    names = {each.figure for each in found}
    assert len(names) == len(found)
    this, base = evidence.subject.kernels[0], evidence.baseline.kernels[0]  # type: ignore[union-attr]
    assert {name for name in METRICS if getattr(this, name) != getattr(base, name)} == names & set(METRICS)
    for name in MNEMONICS:
        differs = this.instructions.get(name, 0) != base.instructions.get(name, 0)
        assert (f'count("{name}")' in names) is differs


@given(EVIDENCE)
def test_the_condition_of_a_difference_holds_for_it_and_needs_it(evidence: Evidence) -> None:
    for each in differences(evidence):
        condition = parse(each.condition)
        assert condition.holds(evidence)
        assert held_by_the_same(condition) is None
        assert not condition.holds(Evidence(evidence.baseline, evidence.baseline))  # type: ignore[arg-type]


@given(EVIDENCE)
def test_what_is_followed_rises_clearly_and_needs_no_pressure(evidence: Evidence) -> None:
    chosen = steadiest(differences(evidence))
    if chosen is not None:
        assert chosen.rises
        assert chosen.kind is not FigureKind.PRESSURE
        assert chosen.ratio >= 1.5
        assert "scratch" not in chosen.figure
        assert "v_mov" not in chosen.figure


@given(st.integers(0, 500), st.integers(0, 500))
def test_half_stays_but_any_spill_does(this: int, base: int) -> None:
    registers = Difference("vgprs", this, base, FigureKind.PRESSURE)
    assert abs(this - base) / 2 <= registers.least <= abs(this - base) / 2 + 0.5
    if this > base:
        assert Difference("vgpr_spills", this, base, FigureKind.PRESSURE).least == 1
        assert Difference('count("scratch_load_dword")', this, base, FigureKind.PRESSURE).least == 1


def test_more_code_is_no_cause() -> None:
    this = seen(Kernel("k", vgpr_spills=9, instructions={"v_mul_f32_e32": 280, "v_add_f32_e32": 280}))
    base = seen(Kernel("k", instructions={"v_mul_f32_e32": 40, "v_add_f32_e32": 40}))
    found = differences(Evidence(this, base))
    assert {ALL, 'count("v_mul_f32_e32")'} <= {each.figure for each in found}
    assert steadiest(found) is None


def test_spills_through_buffers_are_pressure_where_they_go_that_way() -> None:
    this, base = (
        Kernel("k", instructions={"buffer_load_dword": count, "v_add_f32_e32": 100}) for count in (40, 2)
    )
    old, new = (
        differences(Evidence(seen(this, arch=arch), seen(base, arch=arch))) for arch in ("gfx90a", "gfx942")
    )
    assert steadiest(old) is None
    assert steadiest(new) is not None


def test_bytes_count_in_words() -> None:
    assert Difference("lds_bytes", 96, 0, FigureKind.STRUCTURE).ratio == 25
    assert Difference("vgpr_spills", 96, 0, FigureKind.PRESSURE).ratio == 97


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence(seen(Kernel("k", vgprs=3))),
        Evidence(seen(), seen(Kernel("k"))),
        Evidence(seen(Kernel("k")), seen()),
        Evidence(seen(Kernel("a", vgprs=3), Kernel("b")), seen(Kernel("c"), Kernel("d"))),
    ],
)
def test_nothing_is_ranked_that_cannot_be_compared(evidence: Evidence) -> None:
    assert differences(evidence) == ()


def test_without_assembly_metrics_alone_are_ranked() -> None:
    evidence = Evidence(seen(Kernel("k", vgprs=40)), seen(Kernel("k", vgprs=30)))
    assert [each.figure for each in differences(evidence)] == ["vgprs"]
    assert difference('count("v_add*")', evidence) is None


@pytest.mark.parametrize("text", ["vgprs", ' bases("ds_read*") ', "count('v_mov*')", "occupancy"])
def test_names_of_figures(text: str) -> None:
    assert checked_figure(text) == text.strip()


@pytest.mark.parametrize(
    "text",
    ["", "vgpr", "base.vgprs", 'first.count("x")', "vgprs + 1", "vgprs > 1", "3", "max(vgprs, 1)", "("],
)
def test_what_is_no_figure_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        checked_figure(text)


def test_figures_in_words() -> None:
    assert in_words("vgpr_spills") == "vgpr spills"
    assert in_words('bases("ds_read_b64")') == "distinct base registers of ds_read_b64"
    assert in_words('count("v_or_b32")') == "v_or_b32 instructions"
