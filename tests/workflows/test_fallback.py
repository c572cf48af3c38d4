"""Which of two scripts judges, over observations as the real compiler gives them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from flybisect.bisect.observer import Observer
from flybisect.observation import Diagnostic, Kernel, Observation, Outcome, Signature, Stage
from flybisect.oracle import registry
from flybisect.oracle.plugin import Evidence, Options
from flybisect.toolchain.model import Toolchain
from flybisect.workflows.fallback import Fallback

LEGALIZATION = registry.load("legalization").build(Options())
WANTED = Signature("legalization", "fly.copy")


def failed(text: str) -> Evidence:
    said = (Diagnostic("error", text, "mlir"),)
    return Evidence(Observation(Outcome.EXCEPTION, Stage.PASSES, "gfx942", "0.3.0", 1, diagnostics=said))


BUG = failed("failed to legalize operation 'fly.copy' that was explicitly marked illegal")
OTHER = failed("'ub.poison' op register operand/result remain after rmem SSA promotion")
CLEAN = Evidence(Observation(Outcome.OK, Stage.DONE, "gfx942", "0.3.0", 0, kernels=(Kernel("k"),)))


class Shows(Observer):
    """Always the same."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    def ends(self, older: Toolchain, newer: Toolchain) -> tuple[Evidence, Evidence]:
        return self._evidence, self._evidence

    def observe(self, toolchain: Toolchain) -> Evidence:
        return self._evidence


def judged(reduced: Evidence, whole: Evidence | None) -> tuple[Evidence, bool]:
    toolchain = Toolchain("0.3.0", "release", "key", "0.3.0", Path("python"))
    other = None if whole is None else Shows(whole)
    falling = Fallback(Shows(reduced), other, LEGALIZATION, WANTED)
    assert falling.ends(toolchain, toolchain)[0] == falling.observe(toolchain)
    return falling.observe(toolchain), falling.fell == {"key": "0.3.0"}


def test_the_reduced_script_judges_where_it_tells() -> None:
    assert judged(BUG, CLEAN) == (BUG, False)
    assert judged(CLEAN, BUG) == (CLEAN, False)


def test_the_unreduced_one_stands_in_for_another_failure() -> None:
    assert judged(OTHER, BUG) == (BUG, True)
    assert judged(OTHER, CLEAN) == (CLEAN, True)


def test_a_script_without_kernels_tells_nothing() -> None:
    nothing = Evidence(replace(CLEAN.subject, kernels=()))
    assert judged(nothing, BUG) == (BUG, True)
    assert judged(nothing, CLEAN) == (CLEAN, True)
    assert judged(CLEAN, BUG) == (CLEAN, False)


def test_not_where_it_fails_otherwise_too() -> None:
    assert judged(OTHER, OTHER) == (OTHER, False)
    assert judged(OTHER, None) == (OTHER, False)
