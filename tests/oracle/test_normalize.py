from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.oracle.normalize import (
    LONGEST,
    basename,
    condition,
    function,
    headline,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('error: "-":66:7: failed to run', "failed to run"),
        ("<unknown>:0:0: local memory (98304) exceeds limit", "local memory (98304) exceeds limit"),
        ("error: <unknown>:0:0: a b", "a b"),
        ("kernel.py:12:3: error: a b", "a b"),
        ("\n\n  a   b\nc", "a b"),
    ],
)
def test_headline(text: str, expected: str) -> None:
    assert headline(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'arith.addi' op result #0 must be signless-integer-like", None),
        ("'a.b' op must be an integer, but got 'f32'", "'a.b' op must be an integer, but got 'T'"),
        ("'a.b' op takes 'vector<4xf32>' at %81#0 and %arg3", "'a.b' op takes 'T' at % and %"),
        ("expected !fly.memref<ui8, global> at 0x7f3a", "expected T at N"),
        ("cannot read /a/b-c/d.py", "cannot read d.py"),
        ("limit (65536) in function 'k_0'", "limit (N) in function"),
        ("f32 and mfma_16x16 and rank-2", "f32 and mfma_16x16 and rank-N"),
    ],
)
def test_words(text: str, expected: str | None) -> None:
    assert words(text) == (text.replace("#0", "#N") if expected is None else expected)


@given(st.text(max_size=400))
def test_words_are_one_bounded_line(text: str) -> None:
    found = words(text)
    assert "\n" not in found
    assert len(found) <= LONGEST


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_numbers_do_not_matter(one: int, other: int) -> None:
    text = "'x.y' op %{0} is {0} of [1, {0}) for 'vector<{0}xf32>' at 0x{0}a"
    assert words(text.format(one)) == words(text.format(other))


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("static llvm::CastInst* llvm::CastInst::Create(llvm::Type*, const llvm::Twine&)", "Create"),
        ("IntTuple mlir::f(const B<IntTuple>&, G) [with IntTuple = A; G = B<C>]", "f"),
        ("bool operator==(const T&) const", "operator"),
        ("T& llvm::ArrayRef<T>::operator[](size_t) const [with T = int]", "operator"),
        ("auto mlir::g(int)::<lambda(auto:1)>", "g"),
        ("decltype(auto) llvm::cast(From*) [with To = mlir::MemRefType; From = X]", "cast<MemRefType>"),
        ("", "?"),
    ],
)
def test_function(signature: str, expected: str) -> None:
    assert function(signature) == expected


@given(st.text(alphabet="abc:<>()[]{} *&~", max_size=80))
def test_function_never_fails(signature: str) -> None:
    assert function(signature)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('a == 2 && "b"', "a == 2"),
        ('a  ==\n 2 && ("b" "c")', "a == 2"),
        ('(a || b) && "say \\"x\\""', "(a || b)"),
        ('false && "b"', 'false && "b"'),
        ('"only"', '"only"'),
        ("a && b", "a && b"),
    ],
)
def test_condition(expression: str, expected: str) -> None:
    assert condition(expression) == expected


def test_basename() -> None:
    assert basename("/a/b/c.h") == basename("c.h") == basename("C:\\x\\c.h") == "c.h"
