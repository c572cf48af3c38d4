from __future__ import annotations

from dataclasses import replace

import pytest

from flybisect.bisect.endpoints import (
    EndpointOracle,
    EndpointRule,
    EndpointsAlike,
    Find,
    rule_for,
)
from flybisect.observation import Kernel, Observation, Outcome, Signature, Stage
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import load
from flybisect.search.bisect import Side
from tests.oracle.recorded import recorded

CLEAN = recorded("mfma_bf16@0.5.0")
LEGALIZATION = recorded("gemm_buffer64@0.5.0")
VERIFIER = recorded("gemm_buffer128@0.5.0")
API = recorded("api@0.5.0")
BROKEN = Observation(Outcome.BROKEN, Stage.START, "gfx942", "?", note="no import")


def measure(oracle: str, when: str | None = None, compares: bool = False) -> EndpointOracle:
    return EndpointOracle(load(oracle), Options(when, compares))


def with_figures(vgprs: int = 0, spills: int = 0) -> Evidence:
    return Evidence(replace(CLEAN, kernels=(Kernel("k", vgprs=vgprs, vgpr_spills=spills),)))


def rule(of: EndpointOracle, older: Observation | Evidence, newer: Observation | Evidence) -> EndpointRule:
    ends = [end if isinstance(end, Evidence) else Evidence(end) for end in (older, newer)]
    return rule_for(of, ends[0], ends[1])


def test_the_ends_say_what_is_looked_for() -> None:
    came = rule(measure("legalization"), CLEAN, LEGALIZATION)
    went = rule(measure("legalization"), LEGALIZATION, CLEAN)
    assert (came.find, went.find) == (Find.BUG, Find.FIX)
    assert str(came.signature) == "legalization: fly.copy_atom_call_ssa"


@pytest.mark.parametrize(
    ("seen", "side"),
    [
        (LEGALIZATION, Side.BAD),
        (CLEAN, Side.GOOD),
        (VERIFIER, Side.SKIP),
        (API, Side.SKIP),
        (BROKEN, Side.SKIP),
        (replace(CLEAN, outcome=Outcome.TIMEOUT), Side.SKIP),
    ],
)
def test_sides(seen: Observation, side: Side) -> None:
    assert rule(measure("legalization"), CLEAN, LEGALIZATION).judge(Evidence(seen))[0] is side


def test_another_failure_is_not_the_bug_that_is_studied() -> None:
    wanted = replace(measure("auto"), wanted=Signature("legalization", "fly.copy_atom_call_ssa"))
    assert rule(wanted, CLEAN, LEGALIZATION).find is Find.BUG
    with pytest.raises(EndpointsAlike):
        rule(wanted, CLEAN, VERIFIER)
    assert wanted.usable(Evidence(LEGALIZATION))
    assert not wanted.usable(Evidence(VERIFIER))
    assert measure("auto").usable(Evidence(VERIFIER))


def test_no_bound_is_made_for_figures_that_are_studied_by_their_own_condition() -> None:
    ends = with_figures(spills=108), with_figures(spills=104)
    assert rule(measure("spills"), *ends).bound == "vgpr_spills > 106"
    with pytest.raises(EndpointsAlike, match="not one good and one bad"):
        rule(replace(measure("spills"), wanted=Signature("spills")), *ends)


def test_what_compiles_no_kernel_is_not_good() -> None:
    side, verdict = rule(measure("legalization"), CLEAN, LEGALIZATION).judge(
        Evidence(replace(CLEAN, kernels=()))
    )
    assert side is Side.SKIP and "no kernel" in verdict.why


def test_another_bug_of_the_same_kind_is_skipped() -> None:
    of = measure("legalization")
    other = replace(
        LEGALIZATION,
        diagnostics=tuple(
            replace(d, text=d.text.replace("fly.copy_atom_call_ssa", "fly.other"))
            for d in LEGALIZATION.diagnostics
        ),
        exceptions=(),
    )
    side, verdict = rule(of, CLEAN, LEGALIZATION).judge(Evidence(other))
    assert side is Side.SKIP
    assert "another failure" in verdict.why


@pytest.mark.parametrize(
    ("older", "newer", "words"),
    [
        (CLEAN, CLEAN, "both endpoints are alike: shows no failure"),
        (LEGALIZATION, LEGALIZATION, "both endpoints are alike: shows legalization"),
        (CLEAN, API, "the newer shows api"),
        (VERIFIER, LEGALIZATION, "the older shows verifier"),
        (BROKEN, LEGALIZATION, "cannot be used"),
    ],
)
def test_ends_that_tell_nothing(older: Observation, newer: Observation, words: str) -> None:
    with pytest.raises(EndpointsAlike, match=words):
        rule(measure("legalization"), older, newer)


def test_a_bound_half_way_between_the_ends() -> None:
    found = rule(measure("vgprs"), with_figures(26), with_figures(28))
    assert (found.bound, found.find) == ("vgprs > 27", Find.BUG)
    assert found.judge(with_figures(27))[0] is Side.GOOD
    assert found.judge(with_figures(223))[0] is Side.BAD
    assert found.judge(Evidence(API))[0] is Side.SKIP
    assert rule(measure("vgprs"), with_figures(28), with_figures(26)).find is Find.FIX


def test_an_oracles_own_condition_goes_before_half_way() -> None:
    found = rule(measure("spills"), with_figures(spills=44), with_figures(spills=0))
    assert (found.bound, found.find) == (None, Find.FIX)
    assert found.judge(with_figures(spills=13))[0] is Side.BAD
    risen = rule(measure("spills"), with_figures(spills=104), with_figures(spills=108))
    assert (risen.bound, risen.find) == ("vgpr_spills > 106", Find.BUG)


def test_a_users_condition_is_the_only_one() -> None:
    with pytest.raises(EndpointsAlike, match=r"26 vgprs.*28 vgprs"):
        rule(measure("vgprs", "vgprs > 30"), with_figures(26), with_figures(28))
    assert rule(measure("vgprs", "vgprs > 26"), with_figures(26), with_figures(28)).bound is None


def test_a_rise_over_a_base_stays_one() -> None:
    older = replace(with_figures(spills=0), baseline=with_figures(spills=0).subject)
    newer = replace(with_figures(spills=44), baseline=with_figures(spills=0).subject)
    found = rule(measure("spills", compares=True), older, newer)
    assert found.find is Find.BUG
    both = replace(with_figures(spills=44), baseline=with_figures(spills=44).subject)
    assert found.judge(both)[0] is Side.GOOD


def test_a_failure_that_both_ends_have_is_none_of_it() -> None:
    failing = replace(recorded("dynamic_if@0.5.0"), kernels=with_figures(26).subject.kernels)
    more = replace(failing, kernels=with_figures(28).subject.kernels)
    found = rule(measure("vgprs"), failing, more)
    assert found.judge(Evidence(failing))[0] is Side.GOOD


@pytest.mark.parametrize(
    ("oracle", "seen", "usable"),
    [
        ("legalization", CLEAN, True),
        ("legalization", LEGALIZATION, True),
        ("legalization", VERIFIER, False),
        ("legalization", API, False),
        ("vgprs", CLEAN, True),
        ("vgprs", LEGALIZATION, False),
        ("spills", API, False),
    ],
)
def test_what_can_be_an_end(oracle: str, seen: Observation, usable: bool) -> None:
    assert measure(oracle).usable(Evidence(seen)) is usable
