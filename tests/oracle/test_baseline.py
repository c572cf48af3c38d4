"""What a case is compared with: when it is no baseline, and which kernel of it is compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flybisect.bisect.endpoints import EndpointOracle, EndpointsAlike, rule_for
from flybisect.errors import UserError
from flybisect.observation import Answer, ExceptionFacts, Kernel, Observation, Outcome
from flybisect.oracle.plugin import (
    Evidence,
    Margin,
    Options,
    Oracle,
)
from flybisect.oracle.registry import load
from flybisect.search.bisect import Side
from tests.oracle.recorded import recorded

CLEAN = recorded("mfma_bf16@0.5.0")
LEGALIZATION = recorded("gemm_buffer64@0.5.0")


def compiled(**vgprs: int) -> Observation:
    """Kernels by name, each with its registers and half as many of them spilled."""
    kernels = tuple(Kernel(name, vgprs=count, vgpr_spills=count // 2) for name, count in vgprs.items())
    return replace(CLEAN, kernels=kernels)


def raising(observation: Observation, kind: str, during: str = "host") -> Observation:
    exception = ExceptionFacts(kind, "of the script's own", innermost="script", during=during)
    return replace(observation, outcome=Outcome.EXCEPTION, exit_code=1, exceptions=(exception,))


def oracle(name: str = "vgprs", when: str | None = None, pattern: str | None = None) -> Oracle:
    return load(name).build(Options(when, compares=True, pattern=pattern))


@pytest.mark.parametrize(
    "baseline",
    [
        raising(compiled(k_0=100), "KeyError"),
        raising(compiled(k_0=100), "TypeError", during="kernel"),
        replace(compiled(k_0=100), outcome=Outcome.TIMEOUT),
        LEGALIZATION,
    ],
)
def test_figures_over_a_baseline_that_fails_are_unresolved(baseline: Observation) -> None:
    for name in ("vgprs", "spills"):
        verdict = oracle(name).judge(Evidence(compiled(k_0=152), baseline))
        assert verdict.answer is Answer.UNRESOLVED
        assert "baseline" in verdict.why


@pytest.mark.parametrize("name", ["legalization", "text"])
def test_so_is_a_failure(name: str) -> None:
    looks = oracle(name, pattern="failed to legalize" if name == "text" else None)
    assert looks.judge(Evidence(LEGALIZATION, CLEAN)).interesting
    for baseline in (raising(replace(CLEAN, kernels=()), "KeyError"), recorded("gemm_buffer128@0.5.0")):
        verdict = looks.judge(Evidence(LEGALIZATION, baseline))
        assert verdict.answer is Answer.UNRESOLVED
        assert "the baseline fails" in verdict.why
    assert looks.judge(Evidence(LEGALIZATION, LEGALIZATION)).answer is Answer.UNINTERESTING


def test_a_check_behind_the_compiles_fails_on_both_sides() -> None:
    """As every check of results does without a GPU."""
    case, baseline = (raising(compiled(k_0=count), "AssertionError") for count in (152, 100))
    assert oracle().judge(Evidence(case, baseline)).interesting
    assert oracle("legalization").judge(Evidence(LEGALIZATION, baseline)).interesting


def test_a_baseline_has_to_end_as_it_did_for_the_unreduced_script() -> None:
    case, baseline = (raising(compiled(k_0=count), "AssertionError") for count in (152, 100))
    first = Evidence(case, baseline)
    assert oracle().judge(Evidence(case, baseline, first)).interesting
    other = raising(compiled(k_0=100), "KeyError")
    assert oracle().judge(Evidence(case, other, first)).answer is Answer.UNRESOLVED


def test_the_kernel_that_was_worst_at_the_start_stays_the_one_compared() -> None:
    first = Evidence(compiled(big_0=152, small_1=10), compiled(big_0=100, small_1=10))
    judge = oracle().judge
    assert judge(first).interesting
    # The other one has grown above it, and differs; the one that is compared does not.
    grown = Evidence(compiled(big_0=100, small_1=200), compiled(big_0=100, small_1=20), first)
    assert judge(grown).answer is Answer.UNINTERESTING
    # The other one is gone; with it, the number behind the name is another.
    assert judge(Evidence(compiled(big_0=152), compiled(big_0=100), first)).interesting
    assert judge(Evidence(compiled(big_1=152), compiled(big_0=100), first)).interesting
    gone = judge(Evidence(compiled(small_0=152), compiled(small_0=10), first))
    assert gone.answer is Answer.UNRESOLVED
    assert "big_0" in gone.why


def test_one_kernel_is_meant_throughout() -> None:
    """That which is worst by the first figure."""
    both = oracle("isa", "vgprs > base.vgprs and vgpr_spills > 0")
    case = replace(CLEAN, kernels=(Kernel("big_0", vgprs=152), Kernel("spills_1", vgprs=100, vgpr_spills=9)))
    assert not both.judge(Evidence(case, compiled(big_0=100, spills_1=100))).interesting


def test_a_kernel_that_the_baseline_does_not_compile_is_no_comparison() -> None:
    verdict = oracle().judge(Evidence(compiled(k_0=152, tiny_1=2), compiled(tiny_0=2)))
    assert verdict.answer is Answer.UNRESOLVED
    assert "the baseline does not compile the kernel k_0" in verdict.why
    # Where there is but one on each side, its name may depend on the arguments.
    assert oracle().judge(Evidence(compiled(k_wide_0=152), compiled(k_narrow_0=2))).interesting


def test_whether_the_baseline_is_needed_does_not_hang_on_the_worst_kernel() -> None:
    bound = oracle(when="vgprs < 50 and base.vgprs > 60")
    assert bound.needs_baseline(compiled(k_0=40, other_1=80))
    assert not bound.needs_baseline(compiled(k_0=70, other_1=80))


def test_half_of_the_difference_has_to_stay() -> None:
    first = Evidence(compiled(k_0=13), compiled(k_0=9))
    looks = oracle()
    assert looks.judge(Evidence(compiled(k_0=8), compiled(k_0=6), first)).interesting
    assert not looks.judge(Evidence(compiled(k_0=8), compiled(k_0=7), first)).interesting
    left = looks.margins(Evidence(compiled(k_0=8), compiled(k_0=6), first))
    assert left == {"vgprs": Margin(4, 2)}
    assert left["vgprs"].shrank
    assert not looks.margins(first)["vgprs"].shrank


@pytest.mark.parametrize(
    "when",
    [
        "vgpr_spills >= 4 * base.vgpr_spills",
        "vgprs >= base.vgprs",
        "base.vgprs <= first.base.vgprs",
        "vgprs > 100 and base.vgprs < 120",
        'count("ds_read*") > 3 and count("ds_read*") >= base.count("ds_read*")',
    ],
)
def test_a_condition_that_holds_without_a_difference_is_refused(when: str) -> None:
    with pytest.raises(UserError, match="the case and its baseline are the same"):
        oracle("isa", when)


@pytest.mark.parametrize(
    "when",
    [
        "vgprs > base.vgprs",
        "vgpr_spills >= base.vgpr_spills + 8",
        "vgpr_spills > 0 and vgpr_spills >= 4 * base.vgpr_spills",
        'count("ds_read*") > 2 * base.count("ds_read*")',
        "occupancy < base.occupancy",
        "vgprs >= 0",
    ],
)
def test_others_are_not(when: str) -> None:
    assert (oracle("isa", when).condition or "").startswith(when)


def test_a_bisection_passes_over_a_baseline_that_fails() -> None:
    measure = EndpointOracle(load("vgprs"), Options(compares=True))
    alike = Evidence(compiled(k_0=152), compiled(k_0=152))
    broken = Evidence(compiled(k_0=152), raising(compiled(tiny_0=2), "KeyError"))
    risen = Evidence(compiled(k_0=152), compiled(k_0=100))
    assert measure.usable(alike) and not measure.usable(broken)
    with pytest.raises(EndpointsAlike):
        rule_for(measure, alike, alike)
    rule = rule_for(measure, alike, risen)
    assert rule.judge(broken)[0] is Side.SKIP


def test_with_a_baseline_the_ends_give_no_bound() -> None:
    older, newer = (Evidence(compiled(k_0=count), compiled(k_0=count)) for count in (150, 160))
    with pytest.raises(EndpointsAlike):
        rule_for(EndpointOracle(load("vgprs"), Options(compares=True)), older, newer)
