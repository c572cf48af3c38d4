"""The oracles text and ir, on what real compilers showed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flybisect.errors import UserError
from flybisect.observation import Answer, Outcome, Signature, Want
from flybisect.oracle.plugin import Evidence, Options, Oracle
from flybisect.oracle.registry import load
from tests.oracle.recorded import recorded

SCALED = recorded("scaled@0.5.0")


def text(pattern: str, *, absent: bool = False, compares: bool = False) -> Oracle:
    return load("text").build(Options(pattern=pattern, absent=absent, compares=compares))


def ir(pattern: str, *, absent: bool = False, stage: str = "fly-layout-lowering") -> Oracle:
    return load("ir").build(Options(pattern=pattern, absent=absent, stage=stage))


def test_a_text_is_searched_in_all_that_is_said() -> None:
    for name, pattern in (
        ("scaled", "a layout of \\d+ was"),
        ("wide_constant@0.2.4", "RuntimeError: std::bad_cast"),
        ("lds_over_limit", r"exceeds limit \(65536\)"),
        ("zipped_divide_none", "Mismatched ranks"),
    ):
        seen = recorded(name if "@" in name else f"{name}@0.5.0")
        verdict = text(pattern).judge(Evidence(seen))
        assert verdict.interesting, name
        assert verdict.signature == Signature("text", f"{pattern!r} in the output")
        assert not text("nowhere said").judge(Evidence(seen)).interesting


def test_the_line_that_matches_is_shown_and_not_compared() -> None:
    verdict = text("layout of").judge(Evidence(SCALED))
    assert "a layout of 64 was scaled" in str(verdict.signature)
    other = replace(SCALED, stdout="the layout of 32\n")
    assert text("layout of").judge(Evidence(other)).signature == verdict.signature


def test_an_absent_text() -> None:
    assert text("warning", absent=True).judge(Evidence(SCALED)).interesting
    assert not text("layout", absent=True).judge(Evidence(SCALED)).interesting
    api = text("warning", absent=True).judge(Evidence(recorded("api@0.5.0")))
    assert api.answer is Answer.UNRESOLVED
    early = text("warning", absent=True).judge(Evidence(recorded("leaves@0.5.0")))
    assert early.answer is Answer.UNRESOLVED


def test_an_absent_text_is_not_missing_because_of_another_failure() -> None:
    first = Evidence(SCALED)
    oracle = text("layout of", absent=True)
    failing = recorded("gemm_buffer64@0.5.0")
    assert oracle.judge(Evidence(failing)).interesting
    verdict = oracle.judge(Evidence(failing, None, first))
    assert verdict.answer is Answer.UNINTERESTING
    assert "another failure" in verdict.why


def test_a_base_must_not_show_the_same() -> None:
    oracle = text("std::bad_cast", compares=True)
    bad, good = recorded("wide_constant@0.2.4"), recorded("wide_constant@0.5.0")
    assert oracle.needs_baseline(bad)
    assert not oracle.needs_baseline(good)
    assert oracle.judge(Evidence(bad, good)).interesting
    assert not oracle.judge(Evidence(bad, bad)).interesting
    assert oracle.judge(Evidence(bad, recorded("api@0.5.0"))).answer is Answer.UNRESOLVED


@pytest.mark.parametrize("release", ["0.1.8", "0.2.4", "0.3.1", "0.5.0"])
def test_ir_after_a_stage(release: str) -> None:
    seen = recorded(f"scaled@{release}")
    oracle = ir("arith.mulf|fly.*mul")
    assert oracle.wants == {Want.IR}
    verdict = oracle.judge(Evidence(seen))
    assert verdict.interesting
    assert verdict.signature == Signature("ir", "'arith.mulf|fly.*mul' after fly-layout-lowering")
    assert not ir("arith.mulf", absent=True).judge(Evidence(seen)).interesting
    assert ir("arith.addf", absent=True).judge(Evidence(seen)).interesting


def test_assembly_is_a_stage() -> None:
    assert ir("s_waitcnt", stage="isa").wants == {Want.IR, Want.ASSEMBLY}


def test_ir_that_was_not_come_to_cannot_be_judged() -> None:
    verdict = ir("x").judge(Evidence(recorded("dynamic_if@0.5.0")))
    assert verdict.answer is Answer.UNRESOLVED
    assert "there is no IR after fly-layout-lowering" in verdict.why
    missing = replace(SCALED, ir=(), stages=("00_origin", "01_canonicalize"))
    verdict = ir("x", stage="nope").judge(Evidence(missing))
    assert verdict.answer is Answer.UNRESOLVED
    assert "no stage 'nope'" in verdict.why
    assert "01_canonicalize" in verdict.why


def test_ir_counts_though_the_compile_fails_later() -> None:
    failed = replace(SCALED, outcome=Outcome.SIGNAL, signal=11, kernels=())
    assert ir("arith.mulf").judge(Evidence(failed)).interesting


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (Options(), "needs --pattern"),
        (Options(pattern="("), r"'\(' cannot be parsed"),
        (Options(pattern="x*"), "matches an empty text"),
        (Options(pattern="x" * 1001), "at most 1000"),
    ],
)
@pytest.mark.parametrize("name", ["text", "ir"])
def test_bad_patterns(name: str, options: Options, words: str) -> None:
    given = replace(options, stage="last") if name == "ir" else options
    with pytest.raises(UserError, match=words):
        load(name).build(given)


def test_ir_needs_a_stage() -> None:
    with pytest.raises(UserError, match="origin, last, isa"):
        load("ir").build(Options(pattern="x"))
