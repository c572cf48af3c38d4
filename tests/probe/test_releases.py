"""The same probes under older releases, whose compilers are asked in other ways."""

from __future__ import annotations

import pytest

from flybisect.observation import Outcome, Probe, Stage, Want
from flybisect.probe.runner import Runner
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.resolve import resolve
from flybisect.toolchain.rocm import find_rocm
from tests.probe.scripts import LEGALIZATION, MANY_LIVE, kernel
from tests.releases import KEPT


@pytest.fixture(scope="module", params=["0.1.8", "0.3.0"])
def old(request: pytest.FixtureRequest) -> Toolchain:
    return resolve(request.param, KEPT, find_rocm(KEPT))


@pytest.mark.release
def test_a_line_of_ir_becomes_a_line_of_the_script(runner: Runner, old: Toolchain) -> None:
    seen = runner.run(Probe(source=LEGALIZATION, name="script.py", arch="gfx942"), old)
    assert (seen.outcome, seen.stage, seen.flydsl) == (Outcome.EXCEPTION, Stage.PASSES, old.version)
    error = seen.diagnostics[0]
    assert error.text.startswith("failed to legalize operation 'fly.copy_atom_call_ssa'")
    assert error.line is not None
    assert LEGALIZATION.splitlines()[error.line - 1].strip().startswith("fx.copy_atom_call")


@pytest.mark.release
def test_figures_assembly_and_coverage(runner: Runner, old: Toolchain) -> None:
    source = kernel(MANY_LIVE, hints=', value_attrs={"rocdl.waves_per_eu": 4}')
    wants = frozenset({Want.ASSEMBLY, Want.COVERAGE})
    seen = runner.run(Probe(source=source, name="script.py", arch="gfx942", wants=wants), old)
    assert seen.outcome is Outcome.OK, seen.stderr
    assert seen.metrics()["vgprs"] == 128
    assert seen.metrics()["vgpr_spills"] > 0
    assert any(name.startswith("scratch_store") for name in seen.kernels[0].instructions)
    text = source.splitlines()
    assert "s = s * s + r[149 - j]" in {text[line - 1].strip() for line in seen.lines}


@pytest.mark.release
def test_what_flyc_compile_gives_can_be_called(runner: Runner, old: Toolchain) -> None:
    """These releases go on to load the HIP runtime."""
    call = "a = torch.zeros(65536)\nfast = flyc.compile(run, a, a, fx.Stream(None))\nfast(a, a, None)\n"
    source = kernel("out[fx.thread_idx.x] = fx.Float32(A[fx.thread_idx.x])") + call
    seen = runner.run(Probe(source=source, name="script.py", arch="gfx942"), old)
    assert seen.outcome is Outcome.OK, seen.stderr


@pytest.mark.release
def test_locations_that_are_kept_are_those_that_are_asked_for(runner: Runner, old: Toolchain) -> None:
    """Through loops, helpers and lines that are used again; the second run asks for each anew."""
    body = """
        def helper(value, k):
            return value * fx.Float32(2.0) + fx.Float32(k)
        total = fx.Float32(0.0)
        for k in fx.range_constexpr(3):
            total = helper(total, k) + helper(fx.Float32(A[k]), k)
        out[fx.thread_idx.x] = helper(total, 1)
    """
    before = """
import hashlib, os, sys
from flydsl.expr import meta
kept = getattr(meta, "capture_user_location", None)
if "anew" in sys.argv and kept is not None:
    cells = {n: c.cell_contents for n, c in zip(kept.__code__.co_freevars, kept.__closure__ or ())}
    meta.capture_user_location = cells["asking"]
"""
    after = """
text = run._last_compiled[1].source_ir.replace(os.getcwd(), "")
print("loc(" in text, hashlib.sha256(text.encode()).hexdigest())
"""
    source = kernel(body, before=before, after=after)
    wants = frozenset({Want.OUTPUT})
    kept, anew = (
        runner.run(Probe(source, "script.py", "gfx942", argv=argv, wants=wants), old)
        for argv in (("kept",), ("anew",))
    )
    assert (kept.outcome, anew.outcome) == (Outcome.OK, Outcome.OK), kept.stderr + anew.stderr
    assert kept.kernels == anew.kernels
    assert "True" in kept.stdout
    assert kept.stdout == anew.stdout


@pytest.mark.release
def test_a_stream_of_torch_is_an_argument(runner: Runner, old: Toolchain) -> None:
    """0.1.8 goes by the class that was torch's when it was imported."""
    source = kernel("out[0] = A[0]", after="run(torch.zeros(8), torch.zeros(8), torch.cuda.Stream())\n")
    seen = runner.run(Probe(source=source, name="script.py", arch="gfx942"), old)
    assert seen.outcome is Outcome.OK, seen.stderr
    cold = runner.run_cold(Probe(source=source, name="script.py", arch="gfx942"), old)
    assert cold.outcome is Outcome.OK, cold.stderr
