from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.observation import Diagnostic
from flybisect.probe.diagnostics import from_exception, from_text

ILLEGAL = "failed to legalize operation 'fly.copy_atom_call_ssa' that was explicitly marked illegal: %82 = …"


@pytest.mark.parametrize(
    ("line", "severity", "text"),
    [
        ("error: <unknown>:0:0: local memory exceeds limit", "error", "local memory exceeds limit"),
        ("<unknown>:0: warning: stack frame size is large", "warning", "stack frame size is large"),
        (f'error: "-":66:7: {ILLEGAL}', "error", ILLEGAL),
        (f'loc("-":66:7): error: {ILLEGAL}', "error", ILLEGAL),
        ("<inline asm>:1:2: error: invalid instruction", "error", "invalid instruction"),
        ("ld.lld: error: target emulation unknown", "error", "ld.lld: target emulation unknown"),
        ("LLVM ERROR: Cannot select: %llvm.x", "error", "LLVM ERROR: Cannot select: %llvm.x"),
        (
            "python: /b/lib/IR/Instructions.cpp:3045: X::Create(A, B): Assertion `castIsValid(op, S, Ty) "
            "&& \"Invalid cast!\"' failed.",
            "error",
            "/b/lib/IR/Instructions.cpp:3045: X::Create(A, B): Assertion `castIsValid(op, S, Ty) "
            "&& \"Invalid cast!\"' failed.",
        ),
        (" note: \"-\":66:7: see current operation: %1", "note", "see current operation: %1"),
    ],
)  # fmt: skip
def test_one_line(line: str, severity: str, text: str) -> None:
    assert from_text(line) == (Diagnostic(severity, text, "stderr"),)


@pytest.mark.parametrize(
    "line",
    [
        "RuntimeError: error in something",
        "relative error: 0.3",
        "ValueError: bad note: here",
        "    raise ValueError('error: x')",
        "[flydsl] COMPILE_ONLY=1, compilation succeeded (arch=gfx942)",
        "max error:0.3",
        "the relative error: 0.3 is small",
        "",
    ],
)
def test_what_is_none(line: str) -> None:
    assert from_text(line) == ()


def test_a_message_goes_on_over_indented_lines() -> None:
    text = "error: first\n  more of it\n  and more\nerror: second\nplain\n"
    assert [d.text for d in from_text(text)] == ["first\n  more of it\n  and more", "second"]


def test_a_place_in_the_script() -> None:
    (found,) = from_text('loc("/x/script.py":12:4): error: bad', "/x/script.py")
    assert (found.text, found.line) == ("bad", 12)


def _fact(**changes: Any) -> dict[str, Any]:
    fact = {
        "type": "DSLCompileError",
        "message": "",
        "diagnostics": [],
        "ir_lines": {},
        "script": "/x/script.py",
    }
    return {**fact, **changes}


def test_message_with_lines_of_ir() -> None:
    """Releases up to 0.4.1."""
    message = (
        f'Failure while executing pass pipeline:\nerror: "-":66:7: {ILLEGAL}\n note: "-":66:7: see %82\n'
    )
    found = from_exception(_fact(message=message, ir_lines={"66": 24}))
    assert found == (Diagnostic("error", ILLEGAL, "mlir", 24), Diagnostic("note", "see %82", "mlir"))


def test_records_with_a_chain() -> None:
    """Releases from 0.4.2 on; the chain is innermost first and may begin outside the script."""
    chain = [{"file": "/flydsl/expr.py", "line": 3}, {"file": "/x/script.py", "line": 24}]
    record = {"text": ILLEGAL, "notes": ["see %82"], "chain": chain}
    found = from_exception(_fact(message="whatever", diagnostics=[record]))
    assert found == (Diagnostic("error", ILLEGAL, "mlir", 24), Diagnostic("note", "see %82", "mlir"))


def test_message_alone() -> None:
    message = "MLIR verification failed"
    assert from_exception(_fact(message=message)) == (Diagnostic("error", message, "mlir"),)
    assert from_exception(_fact(type="ValueError", message="error: x")) == ()


def test_flydsls_own_traceback_is_cut_off() -> None:
    message = (
        'bad\n\nDSL Traceback (most recent operation last):\n  File "/x/script.py", line 9\n    code\n    ^'
    )
    assert from_exception(_fact(message=message)) == (Diagnostic("error", "bad", "mlir", 9),)


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    for found in from_text(text + "\nerror: " + text, "script.py"):
        assert found.severity in ("error", "warning", "note", "remark")
