"""Whether a FlyDSL that was just built compiles anything at all."""

from __future__ import annotations

from collections.abc import Callable

from flybisect.observation import Observation, Outcome, Probe, Stage
from flybisect.probe.prober import Prober
from flybisect.toolchain.model import Toolchain

ARCH = "gfx942"
"""Known to every FlyDSL."""

_HEAD = """\
import torch

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def smoke(A: fx.Tensor):
    A = fx.rocdl.make_buffer_tensor(A)
"""
_COPY = """\
    tile = fx.logical_divide(A, fx.make_layout(1, 1))
    atom = fx.make_copy_atom(fx.rocdl.BufferCopy32b(), fx.Float32)
    lane = fx.make_rmem_tensor(1, fx.Float32)
    fx.copy_atom_call(atom, fx.slice(tile, (None, fx.thread_idx.x)), lane)
    fx.memref_store_vec(fx.arith.addf(fx.memref_load_vec(lane), fx.memref_load_vec(lane)), lane)
    fx.copy_atom_call(atom, lane, fx.slice(tile, (None, fx.thread_idx.x)))
"""
_TAIL = """\


@flyc.jit
def launch(A: fx.Tensor):
    smoke(A).launch(grid=(1, 1, 1), block=(64, 1, 1))


launch(torch.zeros(64))
"""
SCRIPTS = (_HEAD + _COPY + _TAIL, _HEAD + _TAIL)
"""The second asks for less of FlyDSL's Python, which changes along its history."""


def smoke_test(runner: Prober) -> Callable[[Toolchain], str | None]:
    """A test of toolchains: None when one compiles a kernel, else a line that says what happened.

    Each is run in a process of its own, which is gone afterwards.
    """

    def test(toolchain: Toolchain) -> str | None:
        said = ""
        for script in SCRIPTS:
            seen = runner.run_cold(Probe(script, "smoke.py", ARCH), toolchain)
            if seen.outcome is Outcome.OK and seen.stage is Stage.DONE and seen.kernels:
                return None
            said = _sentence(seen)
            if seen.outcome is not Outcome.EXCEPTION:
                break
        return said

    return test


def _sentence(seen: Observation) -> str:
    if seen.note:
        return seen.note
    if seen.exceptions:
        return f"{seen.exceptions[-1].type}: {seen.exceptions[-1].message.splitlines()[0]}"
    last = next((line.strip() for line in reversed(seen.stderr.splitlines()) if line.strip()), "")
    how = f"signal {seen.signal}" if seen.signal is not None else seen.outcome.value
    return f"{how} at stage `{seen.stage.value}`" + (f": {last}" if last else "")
