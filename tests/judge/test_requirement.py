"""Candidates that have to compile on a FlyDSL without the bug as well."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from flybisect.judge.requirement import Requirement, compiles
from flybisect.judge.trials import Setting
from flybisect.observation import Answer, Kernel, Observation, Outcome, Probe, Stage
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import load
from flybisect.toolchain.model import Toolchain
from tests.judge.replay import (
    BASE,
    SUBJECT,
    Replay,
    judge_of,
)
from tests.oracle.recorded import recorded

NAMES = "bug; everywhere; api; nothing; clean"
"""Which a candidate may read."""
NEIGHBOUR = Setting(BASE, (), "gfx942")
BUG = recorded("gemm_buffer64@0.5.0")
CLEAN = recorded("mfma_bf16@0.5.0")
SHOWN = {
    ("bug", SUBJECT.version): BUG,
    ("everywhere", SUBJECT.version): BUG,
    ("everywhere", BASE.version): BUG,
    ("api", SUBJECT.version): BUG,
    ("api", BASE.version): recorded("api@0.5.0"),
    ("nothing", SUBJECT.version): BUG,
    ("nothing", BASE.version): replace(CLEAN, kernels=()),
}


def answer(probe: Probe, toolchain: Toolchain) -> Observation:
    return SHOWN.get((probe.source.split(";")[0].strip(), toolchain.version), CLEAN)


def test_a_candidate_has_to_compile_there(tmp_path: Path) -> None:
    prober = Replay(answer)
    judge = judge_of(prober, tmp_path)
    assert judge.pin(NAMES).interesting
    assert judge.require(NAMES, Requirement(NEIGHBOUR)) is None
    assert judge.judge("bug").interesting
    for word, why in (("everywhere", "shows"), ("api", "shows api"), ("nothing", "no kernel")):
        verdict = judge.judge(word)
        assert verdict.answer is Answer.UNINTERESTING
        assert f"on FlyDSL {BASE.version}" in verdict.why and why in verdict.why
    assert judge.also_seen == {}


def test_it_is_asked_last_and_kept_in_the_journal(tmp_path: Path) -> None:
    prober = Replay(answer)
    judge = judge_of(prober, tmp_path)
    judge.pin(NAMES)
    judge.require(NAMES, Requirement(NEIGHBOUR))
    before = len(prober.ran)
    assert not judge.judge("clean").interesting
    assert [spec for _, spec in prober.ran[before:]] == [SUBJECT.spec]
    judge.judge("bug")
    ran = len(prober.ran)
    again = judge_of(prober, tmp_path)
    again.pin(NAMES)
    again.require(NAMES, Requirement(NEIGHBOUR))
    assert again.judge("bug").interesting
    assert len(prober.ran) == ran


def test_the_cold_run_is_judged_by_it(tmp_path: Path) -> None:
    prober = Replay(answer)
    judge = judge_of(prober, tmp_path)
    judge.pin(NAMES)
    judge.require(NAMES, Requirement(NEIGHBOUR))
    assert judge.confirm_cold("bug").interesting
    assert prober.cold == 2
    assert not judge.confirm_cold("everywhere").interesting


def test_the_unreduced_script_has_to_meet_it_itself(tmp_path: Path) -> None:
    judge = judge_of(Replay(answer), tmp_path)
    judge.pin(f"everywhere; {NAMES}")
    problem = judge.require(f"everywhere; {NAMES}", Requirement(NEIGHBOUR))
    assert problem is not None and "fly.copy_atom_call_ssa" in problem
    assert judge.judge("everywhere").interesting


def test_a_neighbour_that_is_broken_is_no_verdict_to_keep(tmp_path: Path) -> None:
    broken = [True]

    def now_and_then(probe: Probe, toolchain: Toolchain) -> Observation:
        if probe.source == "bug" and toolchain is BASE and broken[0]:
            return Observation(Outcome.BROKEN, Stage.START, "gfx942", "?", note="no import")
        return answer(probe, toolchain)

    judge = judge_of(Replay(now_and_then), tmp_path)
    judge.pin(NAMES)
    judge.require(NAMES, Requirement(NEIGHBOUR))
    assert judge.judge("bug").answer is Answer.UNRESOLVED
    broken[0] = False
    assert judge.judge("bug").interesting


@pytest.mark.parametrize(("there", "met"), [(24, True), (40, False)])
def test_figures_must_not_meet_the_condition_there(there: int, met: bool) -> None:
    oracle = load("vgprs").build(Options("vgprs > 27"))
    pinned = Evidence(replace(CLEAN, kernels=(Kernel("k", vgprs=28),)))
    shown = Evidence(replace(CLEAN, kernels=(Kernel("k", vgprs=there),)))
    problem = Requirement(NEIGHBOUR).problem(oracle, pinned, shown)
    assert (problem is None) is met


def test_what_fails_behind_the_kernels_compiles() -> None:
    caught = recorded("caught@0.5.0")
    assert compiles(CLEAN)
    assert not compiles(BUG)
    assert not compiles(replace(CLEAN, kernels=()))
    assert not compiles(replace(CLEAN, outcome=Outcome.TIMEOUT, stage=Stage.PASSES))
    assert compiles(replace(CLEAN, outcome=Outcome.TIMEOUT))
    assert compiles(replace(CLEAN, outcome=Outcome.EXIT, exit_code=3))
    assert not compiles(replace(caught, outcome=Outcome.OK))


@pytest.mark.parametrize(("there", "met"), [(20, True), (24, False)])
def test_what_the_case_compares_with_is_compiled_there_too(tmp_path: Path, there: int, met: bool) -> None:
    """20 VGPRs with the other arguments on every FlyDSL."""
    elsewhere = replace(BASE, key="key-elsewhere", version="0.3.0")

    def figures(probe: Probe, toolchain: Toolchain) -> Observation:
        own = there if toolchain is elsewhere and probe.source == "bug" else 20
        vgprs = 28 if toolchain is SUBJECT else own
        vgprs = 20 if probe.argv == ("raw",) or toolchain is BASE else vgprs
        return replace(CLEAN, kernels=(Kernel("k", vgprs=vgprs),))

    prober = Replay(figures)
    judge = judge_of(prober, tmp_path, "vgprs", baseline=True)
    assert judge.pin(NAMES).interesting
    raw = Setting(elsewhere, ("raw",), "gfx942")
    assert judge.require(NAMES, Requirement(Setting(elsewhere, (), "gfx942"), raw)) is None
    assert judge.judge("bug").interesting is met
