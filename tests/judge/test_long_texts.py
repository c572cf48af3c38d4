"""What a trial says can be 64 KiB of anything: looking at it takes a moment, whatever it is."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flybisect.observation import Diagnostic, ExceptionFacts, Observation, Outcome, Stage
from flybisect.oracle.failure_line import clean, failure_line
from flybisect.oracle.normalize import (
    asserted,
    condition,
    function,
    headline,
    one_line,
    words,
)
from flybisect.oracle.signatures import classify
from flybisect.probe import diagnostics
from flybisect.report.cells import plain
from flybisect.report.failure_text import failure_text
from flybisect.report.fingerprints import marks
from flybisect.report.redaction import Redaction

LENGTH = 64 * 1024
SECONDS = 10.0
"""Much more than it takes; what is quadratic in 64 KiB takes longer."""
PIECES = (
    *"'\"<>()[]{}:.,;!#%@/\\-=&|~`_ \t0a",
    *(
        "\n",
        "\r\n",
        "\n\n",
        "1.",
        "a.",
        "a/",
        "./",
        "--",
        "++",
        "0x",
        "%a, ",
        "<>",
        "::",
        "&&",
        '\\"',
        "x:1: ",
    ),
    *(
        "'op' op ",
        "'a.b' op ",
        "'a.b",
        "error: ",
        "note: ",
        "loc(",
        "a<",
        "'<",
        "'!a<",
        "in function '",
        "To = ",
    ),
    *(
        "Assertion `",
        ": Assertion '",
        "' failed",
        " failed",
        "f.cpp:1: ",
        "LLVM ERROR: ",
        "Cannot select: t1: ",
    ),
    *(
        "UNREACHABLE executed at ",
        "libamdhip64",
        "libamdhip64.so ",
        "bitcode path: ",
        "cannot import name ",
        " from '",
    ),
    *("failed to legalize operation '", "terminate called after throwing an instance of '", "Running pass '"),
    *(
        'File "',
        "DSL Traceback (most recent operation last):",
        "operator",
        "malloc",
        "corrupted ",
        '"-":1:',
        "llvm.",
    ),
    *(
        "/home/",
        '&& "',
        "(a.py)",
        "#loc1 = loc(",
        "ld.lld: error: ",
        "Unreachable",
        " executed at ",
        "error:",
        "1:1",
    ),
)


def repeated(pieces: Sequence[str], before: str = "", behind: str = "") -> str:
    unit = "".join(pieces) or "a"
    return (before + unit * (LENGTH // len(unit)))[: LENGTH - len(behind)] + behind


def observations(text: str) -> list[Observation]:
    said = (Diagnostic("error", text, "mlir"),)
    raised = (ExceptionFacts("MLIRError", text, innermost="flydsl"),)
    own = (ExceptionFacts("ValueError", text, innermost="script", during="kernel"),)
    imported = (ExceptionFacts("ImportError", text),)
    passes = Stage.PASSES
    return [
        Observation(Outcome.OK, passes, "gfx942", "0.5.0", diagnostics=said),
        Observation(Outcome.EXCEPTION, passes, "gfx942", "0.5.0", exceptions=raised, stderr=text),
        Observation(Outcome.EXCEPTION, passes, "gfx942", "0.5.0", exceptions=own),
        Observation(Outcome.EXCEPTION, passes, "gfx942", "0.5.0", exceptions=imported),
        Observation(Outcome.SIGNAL, passes, "gfx942", "0.5.0", signal=6, stderr=text),
        Observation(Outcome.EXIT, passes, "gfx942", "0.5.0", exit_code=1, stderr=text),
    ]


def look(text: str) -> dict[str, float]:
    """What each way of looking takes."""
    seconds: dict[str, float] = {}

    def timed(name: str, begun: float) -> None:
        seconds[name] = seconds.get(name, 0.0) + time.process_time() - begun

    for each in (
        words,
        headline,
        one_line,
        condition,
        function,
        asserted,
        clean,
        plain,
        Redaction(("/a",), ("aaaa",)).text,
    ):
        begun = time.process_time()
        each(text)
        timed(getattr(each, "__qualname__", "?"), begun)
    for seen in observations(text):
        for tell in (classify, failure_line, failure_text, marks):
            begun = time.process_time()
            tell(seen)
            timed(getattr(tell, "__qualname__", "?"), begun)
    begun = time.process_time()
    diagnostics.from_text(text, "a.py")
    fact = {"type": "MLIRError", "message": text, "script": "a.py", "diagnostics": [], "ir_lines": {"1": 1}}
    diagnostics.from_exception(fact)
    timed("diagnostics", begun)
    return seconds


def is_soon_done(text: str) -> None:
    seconds = look(text)
    assert sum(seconds.values()) < SECONDS, (text[:60], text[-20:], seconds)


@pytest.mark.parametrize("piece", PIECES)
def test_one_piece_again_and_again(piece: str) -> None:
    is_soon_done(repeated([piece]))


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=4),
    st.lists(st.sampled_from(PIECES), max_size=3).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=3).map("".join),
)
def test_some_pieces_again_and_again(pieces: list[str], before: str, behind: str) -> None:
    is_soon_done(repeated(pieces, before, behind))


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 1 << 30))
def test_pieces_in_any_order(seed: int) -> None:
    chosen = random.Random(seed)
    is_soon_done("".join(chosen.choices(PIECES, k=LENGTH // 4))[:LENGTH])
