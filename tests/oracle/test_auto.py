"""The oracle auto: what it takes for the bug, on what real compilers showed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flybisect.observation import Answer, Outcome, Stage
from flybisect.oracle.plugin import Evidence, Options, Oracle
from flybisect.oracle.registry import load
from tests.oracle.recorded import everything, recorded

ORACLES = {
    "mfma_bf16@0.1.8": "legalization",
    "gemm_buffer128@0.1.8": "verifier",
    "gemm_buffer128@0.2.4": "legalization",
    "vecadd_256b@0.5.0": "assertion",
    "loop_vector@0.1.8": "exception",
    "vector_list@0.2.4": "hang",
    "lds_over_limit@0.2.4": "diagnostic",
    "lds_over_limit@0.5.0": "diagnostic",
    "cannot_select@0.5.0": "crash",
    "segfault@0.5.0": "crash",
    "block1024_spill@0.5.0": "spills",
}


def settled(first: Evidence, options: Options = Options()) -> Oracle:  # noqa: B008
    auto = load("auto").build(options)
    assert auto.provisional
    return auto.specialized(first)


@pytest.mark.parametrize("name", ORACLES)
def test_the_oracle_that_fits(name: str) -> None:
    evidence = Evidence(recorded(name))
    auto = load("auto").build(Options())
    assert settled(evidence).name == ORACLES[name]
    assert auto.judge(evidence).interesting
    assert auto.judge(evidence) == load(ORACLES[name]).build(Options()).judge(evidence)


def test_what_fails_nowhere_is_not_interesting() -> None:
    auto = load("auto").build(Options())
    for name in ("mfma_bf16@0.5.0", "nothing@0.5.0", "leaves@0.5.0"):
        verdict = auto.judge(Evidence(recorded(name)))
        assert verdict.answer is Answer.UNINTERESTING, name
    assert "36 vgprs" in auto.judge(Evidence(recorded("mfma_bf16@0.5.0"))).why


def test_what_cannot_be_judged_is_not() -> None:
    auto = load("auto").build(Options())
    assert auto.judge(Evidence(recorded("api@0.5.0"))).answer is Answer.UNRESOLVED
    broken = replace(recorded("api@0.5.0"), outcome=Outcome.BROKEN, stage=Stage.START, exceptions=())
    assert auto.judge(Evidence(broken)).answer is Answer.UNRESOLVED


def test_the_first_script_decides_for_all_later_ones() -> None:
    """A candidate that shows another kind of failure is another bug, whichever it is."""
    auto = load("auto").build(Options())
    for name in ORACLES:
        first = Evidence(recorded(name))
        fixed, pinned = settled(first), auto.judge(first).signature
        for other, seen in everything().items():
            evidence = Evidence(seen, None, first)
            assert auto.judge(evidence) == fixed.judge(evidence), (name, other)
            if auto.judge(evidence).interesting and auto.judge(evidence).signature == pinned:
                mine, theirs = auto.judge(evidence).signature, auto.judge(Evidence(seen)).signature
                assert mine == theirs or settled(first).name == "spills"


def test_with_a_base_it_looks_for_more_registers() -> None:
    few = recorded("mfma_bf16@0.5.0")
    kernel = replace(few.kernels[0], vgprs=few.kernels[0].vgprs + 4)
    many = replace(few, kernels=(kernel,))
    compares = Options(compares=True)
    assert settled(Evidence(many, few), compares).name == "vgprs"
    auto = load("auto").build(compares)
    assert auto.needs_baseline(many)
    assert auto.judge(Evidence(many, few)).interesting
    assert not auto.judge(Evidence(few, few)).interesting
    spilled = recorded("block1024_spill@0.5.0")
    assert settled(Evidence(spilled, few), compares).name == "spills"


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (Options(when="vgprs > 3"), "vgprs"),
        (Options(when="vgpr_spills > 3 and vgprs > 2"), "spills"),
        (Options(when='count("v_*") > 3'), "isa"),
        (Options(pattern="x"), "text"),
        (Options(pattern="x", stage="last"), "ir"),
        (Options(command="true"), "command"),
    ],
)
def test_what_an_option_says_by_itself(options: Options, name: str) -> None:
    assert load("auto").build(options).name == name
