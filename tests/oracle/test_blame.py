"""Whose fault a failure is: a check of results or a missing package is no bug of the compiler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from flybisect.bisect.endpoints import EndpointOracle, rule_for
from flybisect.observation import Answer, Diagnostic, ExceptionFacts, Observation, Outcome, Stage, Verdict
from flybisect.oracle.blame import compiler_failure, is_script_failure
from flybisect.oracle.hint import why_uninteresting
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import load
from flybisect.oracle.signatures import classify
from flybisect.search.bisect import Side
from tests.oracle.recorded import recorded

COMPILED = recorded("mfma_bf16@0.5.0")
SPILLED = recorded("block1024_spill@0.5.0")
EMPTY = recorded("nothing@0.5.0")
CHECK = ExceptionFacts("AssertionError", "Tensor-likes are not close!", innermost="torch", during="host")
IN_KERNEL = ExceptionFacts(
    "TypeError", "unsupported operand", caught=True, innermost="script", during="kernel"
)


def judged(seen: Observation, oracle: str = "auto") -> Verdict:
    return load(oracle).build(Options()).judge(Evidence(seen))


def raised(seen: Observation, exceptions: Sequence[ExceptionFacts]) -> Observation:
    return replace(seen, outcome=Outcome.EXCEPTION, exit_code=1, exceptions=tuple(exceptions))


OWN = {
    "a check of the results": raised(COMPILED, [CHECK]),
    "an exit code": replace(COMPILED, outcome=Outcome.EXIT, exit_code=1, stderr="FAIL\n"),
    "a loop that waits for a result": replace(COMPILED, outcome=Outcome.TIMEOUT),
    "a reference that takes all memory": replace(COMPILED, outcome=Outcome.MEMORY),
    "a library that crashes": replace(COMPILED, outcome=Outcome.SIGNAL, signal=11, crashed_in_script=True),
    "an attribute of None": raised(
        COMPILED,
        [
            ExceptionFacts(
                "AttributeError",
                "'NoneType' object has no attribute 'group'",
                innermost="script",
                during="host",
            )
        ],
    ),
}


@pytest.mark.parametrize("name", OWN)
def test_what_fails_behind_the_compiles_is_the_scripts_own(name: str) -> None:
    seen = OWN[name]
    verdict = judged(seen)
    assert verdict.answer is Answer.UNINTERESTING
    assert verdict.why.startswith("the kernels compiled; after that the script itself failed")
    assert compiler_failure(seen) is None


@pytest.mark.parametrize("name", OWN)
def test_spills_count_all_the_same(name: str) -> None:
    seen = replace(OWN[name], kernels=SPILLED.kernels)
    assert judged(seen).interesting
    assert str(judged(seen).signature) == "spills"


def test_a_base_counts_all_the_same() -> None:
    more = replace(OWN["an exit code"], kernels=(replace(COMPILED.kernels[0], vgprs=99),))
    auto = load("auto").build(Options(compares=True))
    verdict = auto.judge(Evidence(more, OWN["an exit code"]))
    assert verdict.interesting
    assert str(verdict.signature) == "vgprs"


def test_the_oracle_that_is_asked_for_takes_it() -> None:
    assert judged(OWN["a check of the results"], "exception").interesting
    assert judged(OWN["a loop that waits for a result"], "hang").interesting


@pytest.mark.parametrize("stage", [Stage.TRACE, Stage.PASSES, Stage.CODEGEN])
@pytest.mark.parametrize("outcome", [Outcome.TIMEOUT, Outcome.MEMORY])
def test_a_limit_that_is_met_in_a_compile_is_the_compilers(outcome: Outcome, stage: Stage) -> None:
    seen = replace(COMPILED, outcome=outcome, stage=stage)
    assert judged(seen).interesting
    assert compiler_failure(seen) is not None


def test_a_script_of_many_compiles_is_no_hang() -> None:
    seen = replace(COMPILED, outcome=Outcome.TIMEOUT, stage=Stage.PASSES, seconds=300.0)
    assert judged(replace(seen, under_way=290.0)).interesting
    assert not judged(replace(seen, under_way=9.0)).interesting
    assert judged(replace(seen, under_way=9.0, kernels=())).interesting


@pytest.mark.parametrize(
    ("stage", "in_script"), [(Stage.TRACE, True), (Stage.CODEGEN, True), (Stage.DONE, False)]
)
def test_a_crash_in_a_compile_or_in_flydsl_is_the_compilers(stage: Stage, in_script: bool) -> None:
    seen = replace(
        COMPILED, outcome=Outcome.SIGNAL, stage=stage, signal=11, crashed_in_script=in_script, kernels=()
    )
    assert judged(seen).interesting


def test_a_crash_before_any_compile_is_the_scripts_own() -> None:
    seen = replace(EMPTY, outcome=Outcome.SIGNAL, stage=Stage.START, signal=11, crashed_in_script=True)
    assert judged(seen).answer is Answer.UNINTERESTING


def test_a_failure_before_any_compile_is_the_scripts_own() -> None:
    config = ExceptionFacts("ValueError", "bad config", innermost="script", during="host")
    for seen in (raised(EMPTY, [config]), recorded("memory@0.5.0"), recorded("leaves@0.5.0")):
        assert judged(seen).answer is Answer.UNINTERESTING
        assert "no kernel was compiled" in judged(seen).why


def test_flydsls_own_error_on_the_host_is_flydsls() -> None:
    seen = raised(EMPTY, [ExceptionFacts("ValueError", "no layout", innermost="flydsl", during="host")])
    assert judged(seen).interesting


def test_a_python_error_in_a_kernel_counts_where_the_script_catches_it() -> None:
    alone = classify(raised(COMPILED, [replace(IN_KERNEL, caught=False)]))
    assert alone is not None
    for seen in (
        replace(COMPILED, exceptions=(IN_KERNEL,)),
        replace(COMPILED, exceptions=(IN_KERNEL,), outcome=Outcome.EXIT, exit_code=1),
        raised(COMPILED, [IN_KERNEL, CHECK]),
    ):
        assert classify(seen) == alone
        assert not is_script_failure(seen, alone)
        assert judged(seen).interesting


@pytest.mark.parametrize(
    ("type_", "message", "said"),
    [
        ("ModuleNotFoundError", "No module named 'einops'", "the package einops is not installed"),
        ("ModuleNotFoundError", "No module named 'torch.moon'", "the module torch.moon is not installed"),
        (
            "FileNotFoundError",
            "[Errno 2] No such file or directory: 'w.bin'",
            "the file w.bin does not",
        ),
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'rocminfo'", "the program rocminfo"),
        ("OSError", "libamdhip64.so: cannot open shared object file: No such file", "libamdhip64.so"),
        ("RuntimeError", "No HIP GPUs are available", "No HIP GPUs are available"),
        ("Skipped", "needs a gfx950", "the script skips itself: needs a gfx950"),
        ("OSError", "[Errno 30] Read-only file system: '/data/x'", "Read-only file system"),
    ],
)
def test_what_the_machine_lacks_is_setup(type_: str, message: str, said: str) -> None:
    missing = ("the program rocminfo is not installed",)
    exception = ExceptionFacts(type_, message, innermost="script", during="host")
    seen = replace(raised(EMPTY, [exception]), missing=missing)
    verdict = judged(seen)
    assert verdict.answer is Answer.UNRESOLVED
    assert said in verdict.why
    shown = why_uninteresting("x.py", "auto", verdict, Evidence(seen), ())
    assert shown.startswith("x.py cannot be judged on this machine: ")
    assert said in shown


def test_what_the_script_asked_for_in_vain_explains_that_nothing_was_compiled() -> None:
    missing = ("the package einops is not installed",)
    leaves = replace(EMPTY, outcome=Outcome.EXIT, exit_code=1)
    for seen in (EMPTY, leaves):
        assert judged(seen).answer is not Answer.UNRESOLVED
        assert judged(replace(seen, missing=missing)).answer is Answer.UNRESOLVED
    for seen in (COMPILED, OWN["a check of the results"]):  # it was optional
        assert judged(replace(seen, missing=missing)).answer is Answer.UNINTERESTING
    assert judged(replace(raised(EMPTY, [IN_KERNEL]), missing=missing)).interesting


def test_missing_bitcode_is_setup_however_the_script_ends() -> None:
    text = "ROCm amdgcn bitcode path: /opt/rocm/amdgcn/bitcode does not exist"
    for outcome in (Outcome.OK, Outcome.EXIT, Outcome.EXCEPTION):
        seen = replace(COMPILED, outcome=outcome, diagnostics=(Diagnostic("error", text, "stderr"),))
        assert judged(seen).answer is Answer.UNRESOLVED


def test_a_release_where_only_the_check_fails_is_good() -> None:
    bug = recorded("gemm_buffer64@0.5.0")
    measure = EndpointOracle(load("auto"), Options())
    rule = rule_for(measure, Evidence(OWN["a check of the results"]), Evidence(bug))
    assert rule.judge(Evidence(OWN["an exit code"]))[0] is Side.GOOD
    before = ExceptionFacts("ValueError", "bad config", innermost="script", during="host")
    assert rule.judge(Evidence(raised(EMPTY, [before])))[0] is Side.SKIP
