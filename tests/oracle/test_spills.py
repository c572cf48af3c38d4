from __future__ import annotations

from dataclasses import replace

import pytest

from flybisect.errors import UserError
from flybisect.observation import Answer, Kernel, Observation, Signature, Want
from flybisect.oracle.plugin import Evidence, Options, Oracle
from flybisect.oracle.registry import load
from tests.oracle.recorded import recorded


def spills(when: str | None = None, compares: bool = False) -> Oracle:
    return load("spills").build(Options(when, compares))


def with_spills(count: int) -> Observation:
    kernel = Kernel("k", vgprs=128, vgpr_spills=count)
    return replace(recorded("block1024_spill@0.5.0"), kernels=(kernel,))


def test_a_real_spill_is_interesting() -> None:
    verdict = spills().judge(Evidence(recorded("block1024_spill@0.5.0")))
    assert verdict.interesting
    assert verdict.signature == Signature("spills")
    assert verdict.metrics["vgpr_spills"] == 104


def test_a_kernel_without_spills_is_not() -> None:
    verdict = spills().judge(Evidence(recorded("mfma_bf16@0.5.0")))
    assert verdict.answer is Answer.UNINTERESTING
    assert verdict.signature is None


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("gemm_buffer64@0.5.0", Signature("legalization", "fly.copy_atom_call_ssa")),
        ("nothing@0.5.0", None),
    ],
)
def test_without_a_kernel_there_is_no_answer(name: str, signature: Signature | None) -> None:
    verdict = spills().judge(Evidence(recorded(name)))
    assert verdict.answer is Answer.UNRESOLVED
    assert verdict.signature == signature
    assert "no kernel was compiled" in verdict.why


def test_rising_against_a_base() -> None:
    oracle = spills(compares=True)
    first = Evidence(with_spills(44), with_spills(0))
    assert oracle.judge(first).interesting
    assert oracle.judge(Evidence(with_spills(3), with_spills(0), first)).interesting
    assert not oracle.judge(Evidence(with_spills(3), with_spills(3), first)).interesting
    # it rises, but the base has become worse than the unreduced script's
    assert not oracle.judge(Evidence(with_spills(30), with_spills(2), first)).interesting


def test_a_base_that_did_not_compile_is_no_answer() -> None:
    failed = recorded("gemm_buffer64@0.5.0")
    verdict = spills(compares=True).judge(Evidence(with_spills(3), failed))
    assert verdict.answer is Answer.UNRESOLVED
    assert "fly.copy_atom_call_ssa" in verdict.why


def test_the_base_is_compiled_only_where_it_decides() -> None:
    oracle = spills(compares=True)
    assert oracle.needs_baseline(with_spills(1))
    assert not oracle.needs_baseline(with_spills(0))
    assert not oracle.needs_baseline(recorded("gemm_buffer64@0.5.0"))
    assert not spills().needs_baseline(with_spills(1))
    assert spills("base.vgprs < vgprs", compares=True).needs_baseline(with_spills(0))


def test_a_condition_replaces_the_default() -> None:
    oracle = spills('count("scratch_store*") > 10 and vgprs == 128')
    assert oracle.wants == {Want.ASSEMBLY}
    verdict = oracle.judge(Evidence(recorded("block1024_spill@0.5.0")))
    assert verdict.interesting
    assert verdict.metrics["count('scratch_store*')"] > 10
    assert spills().wants == frozenset()


def test_a_condition_over_the_base_needs_one() -> None:
    with pytest.raises(UserError, match="--against-args"):
        spills("vgprs > base.vgprs")


def test_a_candidate_that_fails_as_well_is_not_interesting() -> None:
    first = Evidence(with_spills(9))
    failing = replace(recorded("dynamic_if@0.5.0"), kernels=with_spills(9).kernels)
    verdict = spills().judge(Evidence(failing, None, first))
    assert verdict.answer is Answer.UNINTERESTING
    assert "another failure" in verdict.why
    assert spills().judge(Evidence(failing, None, Evidence(failing))).interesting
