"""The oracles hang, vgprs and exception, on what real compilers showed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flybisect.errors import UserError
from flybisect.observation import Answer, Outcome, Signature, Stage
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import load
from tests.oracle.recorded import recorded


@pytest.mark.parametrize("outcome", [Outcome.TIMEOUT, Outcome.MEMORY])
def test_a_hang_is_the_same_whichever_limit_it_meets(outcome: Outcome) -> None:
    oracle = load("hang").build(Options())
    stuck = replace(recorded("mfma_bf16@0.5.0"), outcome=outcome, stage=Stage.TRACE, kernels=())
    verdict = oracle.judge(Evidence(stuck))
    assert verdict.interesting
    assert verdict.signature == Signature("hang", "during trace")
    assert not oracle.judge(Evidence(stuck, stuck)).interesting


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("mfma_bf16@0.5.0", Answer.UNINTERESTING),
        ("gemm_buffer64@0.5.0", Answer.UNINTERESTING),
        ("api@0.5.0", Answer.UNRESOLVED),
    ],
)
def test_what_ends_does_not_hang(name: str, answer: Answer) -> None:
    assert load("hang").build(Options()).judge(Evidence(recorded(name))).answer is answer


def test_vgprs_need_something_to_compare_with() -> None:
    with pytest.raises(UserError, match="--when"):
        load("vgprs").build(Options())
    evidence = Evidence(recorded("mfma_bf16@0.5.0"))
    assert load("vgprs").build(Options("vgprs > 35")).judge(evidence).interesting
    assert not load("vgprs").build(Options("vgprs > 36")).judge(evidence).interesting
    rise = load("vgprs").build(Options(compares=True))
    assert not rise.judge(Evidence(evidence.subject, evidence.subject)).interesting


def test_which_oracles_are_about_a_figure() -> None:
    metrics = {name: load(name).metric for name in ("spills", "vgprs", "hang", "assertion")}
    assert metrics == {"spills": "vgpr_spills", "vgprs": "vgprs", "hang": None, "assertion": None}


def test_an_exception() -> None:
    verdict = load("exception").build(Options()).judge(Evidence(recorded("dynamic_if@0.5.0")))
    assert verdict.interesting
    assert "dynamic" in str(verdict.signature)
