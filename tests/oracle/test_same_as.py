"""`--same-as`, on a bug that three releases word in three ways."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flybisect.bisect.endpoints import EndpointOracle, EndpointsAlike, rule_for
from flybisect.observation import Answer, Kernel, Signature
from flybisect.oracle.plugin import Evidence, Options, Oracle
from flybisect.oracle.registry import load
from flybisect.oracle.same_as import counting_as_same, is_named
from flybisect.oracle.signatures import classify
from tests.oracle.recorded import recorded

SLICE, COPY, POISON = (recorded(f"gemm_buffer128@{release}") for release in ("0.1.8", "0.2.4", "0.5.0"))
TEXTS = (
    "vector.insert_strided_slice",
    "'ub.poison' op register operand/result remain after rmem SSA promotion",
)


def oracle(*same_as: str, name: str = "legalization", compares: bool = False) -> Oracle:
    return counting_as_same(load(name), same_as).build(Options(compares=compares))


def test_without_it_they_are_three() -> None:
    assert len({classify(seen) for seen in (SLICE, COPY, POISON)}) == 3
    assert not oracle().judge(Evidence(SLICE)).interesting


def test_all_take_the_signature_of_the_first_script() -> None:
    same = oracle(*TEXTS)
    for first in (SLICE, COPY, POISON):
        pinned = same.judge(Evidence(first)).signature
        assert pinned == classify(first)
        for seen in (SLICE, COPY, POISON):
            verdict = same.judge(Evidence(seen, None, Evidence(first)))
            assert verdict.interesting
            assert verdict.signature == pinned
            assert str(classify(seen)) in str(verdict.signature)


def test_another_bug_of_the_same_kind_stays_another() -> None:
    other = recorded("mfma_bf16@0.1.8")
    verdict = oracle(*TEXTS).judge(Evidence(other, None, Evidence(COPY)))
    assert verdict.signature != classify(COPY)
    assert not oracle(*TEXTS, name="verifier").judge(Evidence(other, None, Evidence(SLICE))).interesting


def test_under_the_base_it_must_not_be_in_any_of_its_words() -> None:
    same = oracle(*TEXTS, compares=True)
    fine = recorded("scaled@0.5.0")
    for seen in (SLICE, COPY, POISON):
        assert same.needs_baseline(seen)
        assert same.judge(Evidence(seen, fine)).interesting
        for baseline in (SLICE, COPY, POISON):
            assert same.judge(Evidence(seen, baseline)).answer is Answer.UNINTERESTING
    assert not same.needs_baseline(fine)


def test_with_auto() -> None:
    same = oracle(*TEXTS, "fly.copy_atom_call_ssa", name="auto")
    for first in (SLICE, COPY, POISON):
        evidence = Evidence(first)
        assert same.provisional
        for one in (same, same.specialized(evidence)):
            for seen in (SLICE, COPY, POISON):
                verdict = one.judge(Evidence(seen, None, evidence))
                assert verdict.interesting
                assert verdict.signature == classify(first)


def test_ways_to_name_a_signature() -> None:
    seen = Signature("verifier", "'a.b' op is not N", detail="'a.b' op is not 7")
    for text in ("verifier", "a.b", "verifier: 'a.b' op is not N", "verifier: 'a.b' op is not 7", "is not 7"):
        assert is_named(seen, (text,))
    for text in ("verify", "a.c", "legalization"):
        assert not is_named(seen, (text,))
    assert not is_named(None, ("verifier",))
    assert not is_named(Signature("api", "x"), ("api",))


def test_what_is_not_named_is_left_to_the_oracle() -> None:
    same = oracle("nothing like it")
    for name in ("gemm_buffer64@0.5.0", "api@0.5.0", "scaled@0.5.0", "vector_list@0.2.4"):
        evidence = Evidence(recorded(name))
        assert same.judge(evidence) == oracle().judge(evidence)


def test_nothing_else_changes() -> None:
    """What the oracle can do stays, and no figure is looked at that it does not look at."""
    spills, hang, auto = (oracle("verifier", name=name) for name in ("spills", "hang", "auto"))
    assert spills.condition == "vgpr_spills > 0"
    assert (spills.provisional, auto.provisional, hang.limits_trials, spills.limits_trials) == (
        False,
        True,
        True,
        False,
    )
    fine = recorded("scaled@0.5.0")
    assert hang.trial_limits(fine) == load("hang").build(Options()).trial_limits(fine)
    assert spills.specialized(Evidence(fine)).condition == spills.condition
    older, newer = (replace(fine, kernels=(Kernel("k", vgprs=count),)) for count in (20, 30))
    for name in ("legalization", "verifier"):
        measure = EndpointOracle(counting_as_same(load(name), ("verifier",)), Options())
        with pytest.raises(EndpointsAlike, match="shows no failure"):
            rule_for(measure, Evidence(older), Evidence(newer))
    left_open = EndpointOracle(counting_as_same(load("auto"), ("verifier",)), Options())
    rule = rule_for(left_open, Evidence(older), Evidence(newer))
    assert rule.bound == "vgprs > 25"
    assert rule.oracle.judge(Evidence(SLICE, None, Evidence(newer))).interesting


def test_a_baseline_that_fails_is_unresolved_for_what_is_named() -> None:
    same = oracle(*TEXTS, compares=True)
    other = recorded("dynamic_if@0.5.0")
    assert same.judge(Evidence(SLICE, other)).answer is Answer.UNRESOLVED
    assert same.judge(Evidence(COPY, other)).answer is Answer.UNRESOLVED
