"""Signatures of failures, as recorded from real FlyDSL releases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flybisect.observation import Diagnostic, ExceptionFacts, Observation, Outcome, Signature, Stage
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import load
from flybisect.oracle.signatures import KINDS, classify
from tests.oracle.recorded import everything, recorded

CAST = Signature("assertion", "castIsValid(op, S, Ty) in Create (Instructions.cpp)")
RANK = Signature("assertion", "t.rank() == 2 in intTupleZip2ByImpl (IntTupleUtils.h)")
POISON = Signature("verifier", "'ub.poison' op register operand/result remain after rmem SSA promotion")
SLICE = Signature(
    "verifier",
    "'vector.insert_strided_slice' op expected sum(offsets, source vector shape) dimension N "
    "to be confined to [N, N)",
)
COPY = Signature("legalization", "fly.copy_atom_call_ssa")
BAD_CAST = Signature("exception", "RuntimeError: std::bad_cast (in a kernel)")
DYNAMIC, DYNAMIC_IN_LAUNCHER = (
    Signature(
        "exception",
        f"RuntimeError: cannot evaluate dynamic 'Boolean' as Python bool during tracing (in a {where})",
    )
    for where in ("kernel", "launcher")
)
LOOP = Signature(
    "exception", "TypeError: for-loop variable 'acc' type mismatch: expected T, got T (in a kernel)"
)
LDS = Signature("diagnostic", "local memory (N) exceeds limit (N) in function")
SELECT = Signature("fatal", "Cannot select: llvm.amdgcn.s.wait.dscnt")

# by script: the signature on 0.1.8, 0.2.4, 0.3.1 and 0.5.0
EXPECTED: dict[str, tuple[Signature | None, ...]] = {
    "mfma_bf16": (Signature("legalization", "fly.mma_atom_call_ssa"), None, None, None),
    "vecadd_256b": (CAST,) * 4,
    "zipped_divide_none": (RANK,) * 4,
    "gemm_buffer64": (COPY,) * 4,
    "gemm_buffer128": (SLICE, COPY, COPY, POISON),
    "dynamic_if": (DYNAMIC,) * 4,
    "launcher_if": (DYNAMIC_IN_LAUNCHER,) * 4,
    "loop_vector": (LOOP, None, None, None),
    "scaled": (None,) * 4,
    "wide_constant": (BAD_CAST, BAD_CAST, None, None),
    "lds_over_limit": (None, LDS, LDS, LDS),
    "vector_list": (Signature("hang", "during trace"), Signature("hang", "during trace"), None, None),
    "cannot_select": (SELECT,) * 4,
    "block1024_spill": (None,) * 4,
    "nothing": (None,) * 4,
    "caught": (Signature("legalization", "fly.copy_atom_call"),) * 4,
    "leaves": (Signature("exit", "exit code 3"),) * 4,
    "memory": (Signature("memory", "during start"),) * 4,
    "segfault": (Signature("crash", "SIGSEGV during start"),) * 4,
    "api": (Signature("api", "module 'flydsl.expr' has no attribute 'this_is_in_no_release'"),) * 4,
    "api_of_import": (Signature("api", "cannot import name 'this_is_in_no_release' from 'flydsl.compiler'"),)
    * 4,
}
RELEASES = ("0.1.8", "0.2.4", "0.3.1", "0.5.0")


@pytest.mark.parametrize("script", EXPECTED)
def test_the_same_bug_has_one_signature_on_every_release(script: str) -> None:
    found = tuple(classify(recorded(f"{script}@{release}")) for release in RELEASES)
    assert found == EXPECTED[script]


def test_every_recording_is_expected() -> None:
    assert {name.split("@")[0] for name in everything()} == set(EXPECTED)


def test_the_text_oracles_call_a_failure_what_classify_calls_it() -> None:
    interesting = 0
    for name, observation in everything().items():
        seen = classify(observation)
        for oracle in ("legalization", "assertion"):
            verdict = load(oracle).build(Options()).judge(Evidence(observation))
            assert verdict.interesting == (seen is not None and seen.kind == oracle), name
            assert verdict.signature == seen, name
            interesting += verdict.interesting
    assert interesting == 19


def test_a_signature_shows_the_wording_and_is_not_compared_by_it() -> None:
    old, new = (classify(recorded(f"zipped_divide_none@{r}")) for r in ("0.2.4", "0.5.0"))
    assert old == new
    assert "expects rank-2 tuple" in str(old)
    assert "Mismatched ranks" in str(new)


def test_all_kinds_have_names() -> None:
    assert {seen.kind for o in everything().values() if (seen := classify(o))} <= set(KINDS)


def aborted(stderr: str) -> Observation:
    return Observation(Outcome.SIGNAL, Stage.PASSES, "gfx942", "0.5.0", signal=6, stderr=stderr)


def test_two_asserts_are_two_signatures() -> None:
    line = "python: /x/{0}:{1}: void f(int): Assertion `{2}' failed.\n"
    texts = [
        line.format("A.h", 1, "a > b"),
        line.format("A.h", 1, "a > c"),
        line.format("B.h", 1, "a > b"),
        line.format("A.h", 1, 'false && "one"'),
        line.format("A.h", 1, 'false && "two"'),
        line.format("A.h", 1, '!"three"'),
    ]
    assert len({classify(aborted(text)) for text in texts}) == len(texts)


def test_casts_to_two_types_are_two_signatures() -> None:
    line = (
        "python: /l/Casting.h:566: decltype(auto) llvm::cast(const From&) [with To = mlir::{}; "
        'From = mlir::Type]: Assertion `isa<To>(Val) && "cast<Ty>() argument of incompatible type!"\' failed.'
    )
    found = [classify(aborted(line.format(name))) for name in ("MemRefType", "VectorType")]
    assert [s.text for s in found if s] == [
        "isa<To>(Val) in cast<MemRefType> (Casting.h)",
        "isa<To>(Val) in cast<VectorType> (Casting.h)",
    ]


@pytest.mark.parametrize("quotes", ["`'", "\u2018\u2019", "''", '""'])
def test_every_way_of_quoting_an_assertion(quotes: str) -> None:
    place = "python3.11: A.cpp:12: int N::f(T) [with T = std::pair<int, int>]"
    found = classify(aborted(f"{place}: Assertion {quotes[0]}x['a']{quotes[1]} failed."))
    assert found == Signature("assertion", "x['a'] in f (A.cpp)")


@pytest.mark.parametrize(
    ("stderr", "kind", "text"),
    [
        ("LLVM ERROR: out of memory\n", "memory", "during passes"),
        ("LLVM ERROR: Cannot select: t7: v2f32 = AMDGPUISD::FOO t3, t4\n", "fatal", "AMDGPUISD::FOO"),
        ("bad thing\nUNREACHABLE executed at /a/b/C.cpp:77!\n", "fatal", "unreachable: bad thing (C.cpp)"),
        (
            "terminate called after throwing an instance of 'std::out_of_range'\n",
            "fatal",
            "std::out_of_range",
        ),
        (
            "terminate called after throwing an instance of 'nanobind::python_error'\n"
            "  what():  Traceback (most recent call last):\n"
            '  File "/x/numeric.py", line 7, in from_ir_type\n\n'
            "ValueError: unsupported mlir type: i4\n",
            "fatal",
            "nanobind::python_error: ValueError: unsupported mlir type: i4",
        ),
        (
            "terminate called after throwing an instance of 'nanobind::python_error'\n"
            "  what():  KeyError: 'lanes'\n",
            "fatal",
            "nanobind::python_error: KeyError: 'lanes'",
        ),
        (
            "Critical nanobind error: an exception passed a callback\nTypeError: no caster\n",
            "fatal",
            "an exception passed a callback: TypeError: no caster",
        ),
        (
            "terminate called after throwing an instance of 'std::runtime_error'\n  what():  no such atom\n",
            "fatal",
            "std::runtime_error: no such atom",
        ),
        ("free(): invalid pointer\n", "fatal", "free(): invalid pointer"),
        ("", "crash", "SIGABRT during passes"),
        ("1. Running pass 'Greedy Register Allocator' on function '@k_0'\n", "crash", "Greedy Register"),
        ("python: libamdhip64.so: cannot open shared object file: No such file\n", "setup", "libamdhip64"),
    ],
)
def test_last_words(stderr: str, kind: str, text: str) -> None:
    found = classify(aborted(stderr))
    assert found is not None
    assert found.kind == kind
    assert text in found.text


def test_a_missing_linker_is_the_machines_fault_and_bad_assembly_is_not() -> None:
    failed = Observation(
        Outcome.EXCEPTION,
        Stage.CODEGEN,
        "gfx942",
        "0.5.0",
        diagnostics=(Diagnostic("error", "lld invocation failed", "mlir"),),
    )
    missing = classify(failed)
    assert missing is not None
    assert missing.kind == "setup"
    bad = classify(replace(failed, stderr="ld.lld: error: target emulation unknown\n"))
    assert bad is not None
    assert bad.kind == "diagnostic"


@pytest.mark.parametrize(
    ("type_", "message", "innermost", "kind"),
    [
        ("AttributeError", "module 'flydsl.expr' has no attribute 'x'", "flydsl", "api"),
        ("AttributeError", "'Tensor' object has no attribute 'x'", "script", "api"),
        ("AttributeError", "'NoneType' object has no attribute 'x'", "flydsl", "exception"),
        ("TypeError", "f() got an unexpected keyword argument 'x'", "script", "api"),
        ("TypeError", "BF16Type() takes no arguments", "script", "api"),
        ("TypeError", "missing a required argument: 'stream'", "inspect", "api"),
        ("TypeError", "too many positional arguments", "inspect", "api"),
        ("TypeError", "f(): incompatible function arguments. The following", "flydsl", "api"),
        ("TypeError", "unsupported operand type(s) for +", "script", "exception"),
        ("ModuleNotFoundError", "No module named 'flydsl.x'", "script", "api"),
        ("ModuleNotFoundError", "No module named 'mine'", "script", "setup"),
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'weights.bin'", "script", "setup"),
        ("RuntimeError", "Found no NVIDIA driver on your system.", "torch", "setup"),
        ("NameError", "name 'x' is not defined", "script", "exception"),
        ("ValueError", "'x.y' op is wrong", "flydsl", "verifier"),
        ("ValueError", "'x.y' op is wrong", "script", "exception"),
    ],
)
def test_python_exceptions(type_: str, message: str, innermost: str, kind: str) -> None:
    exception = ExceptionFacts(type_, message, innermost=innermost)
    found = classify(Observation(Outcome.EXCEPTION, Stage.TRACE, "gfx942", "0.5.0", exceptions=(exception,)))
    assert found is not None
    assert found.kind == kind


def test_what_the_script_prints_before_any_compile_is_no_diagnostic() -> None:
    printed = (Diagnostic("error", "0.2", "stderr"),)
    assert classify(Observation(Outcome.OK, Stage.START, "gfx942", "0.5.0", diagnostics=printed)) is None


def test_a_broken_toolchain_is_setup() -> None:
    broken = Observation(Outcome.BROKEN, Stage.START, "gfx942", "?", note="flydsl does not import")
    assert classify(broken) == Signature("setup", "flydsl does not import")


def test_warnings_are_no_failure() -> None:
    seen = Observation(
        Outcome.OK, Stage.DONE, "gfx942", "0.5.0", diagnostics=(Diagnostic("warning", "slow", "stderr"),)
    )
    assert classify(seen) is None
