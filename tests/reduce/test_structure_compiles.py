"""Passes of structure through the real compiler, on a kernel that carries its state packed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flybisect.observation import Observation, Probe
from flybisect.probe.runner import Runner
from flybisect.reduce.hint import Pass
from flybisect.reduce.passes import (
    built,
    comprehensions,
    containers,
    counters,
    loops,
    packs,
    rolled,
)
from flybisect.toolchain.installed import installed
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.rocm import find_rocm
from tests.reduce.hints import candidates

KERNEL = """\
import flydsl.compiler as flyc
import flydsl.expr as fx
import torch
from flydsl.expr import range_constexpr


@flyc.kernel
def kern(A: fx.Tensor, n: fx.Int32):
    lane = fx.Int32(fx.thread_idx.x)

    def pack(rows, total, scale):
        flat = []
        for i in range_constexpr(2):
            flat.append(rows[i])
        flat.append(total)
        flat.append(scale)
        return flat

    def unpack(flat):
        at = 0
        rows = [None] * 2
        for i in range_constexpr(2):
            rows[i] = flat[at]; at += 1
        total = flat[at]
        at += 1
        return rows, total, flat[at]

    def body(j, rows, total, scale):
        loaded = [A[lane + 64 * i] for i in range_constexpr(2)]
        rows = [rows[i] + loaded[i] for i in range_constexpr(2)]
        return rows, total + rows[0] * scale, scale

    ones = [fx.Float32(1.0) for _ in range(1)]
    first = [fx.Float32(0.0), fx.Float32(2.0)]
    for j, carried in range(0, n, 1, init=pack(first, ones[0], fx.Float32(0.5))):
        state = unpack(list(carried))
        state = body(j, *state)
        results = yield pack(*state)
    rows, total, scale = unpack(results)
    A[lane] = rows[0]
    A[lane + 64] = rows[1]
    for i in range_constexpr(2):
        A[lane + 128 + i] = total + first[i]
    limits = [fx.Float32(3.0), fx.Float32(4.0)]
    A[lane + 128] = limits[0] + limits[1]
    A[lane + 256] = scale
    A[lane + 257] = scale
    A[lane + 258] = scale
    A[lane + 259] = scale


@flyc.jit
def launch(A: fx.Tensor, n: fx.Int32):
    kern(A, n).launch(grid=(1, 1, 1), block=(64, 1, 1))


launch(torch.zeros(512), 4)
"""
EXACT = (containers.PASS, built.PASS, comprehensions.PASS, counters.PASS, rolled.PASS)


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    with Runner(tmp_path_factory.mktemp("scratch"), jobs=2) as runner:
        yield runner


@pytest.fixture(scope="module")
def toolchain(tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    return installed(find_rocm(tmp_path_factory.mktemp("rocm")))


@pytest.fixture(scope="module")
def before(runner: Runner, toolchain: Toolchain) -> Observation:
    seen = compiled(runner, toolchain, KERNEL)
    assert len(seen.kernels) == 1, seen
    return seen


def compiled(runner: Runner, toolchain: Toolchain, text: str) -> Observation:
    return runner.run(Probe(source=text, name="kernel.py", arch="gfx942", timeout=60.0), toolchain)


@pytest.mark.parametrize("each", EXACT, ids=lambda each: each.name)
def test_the_same_code_comes_of_another_form(
    each: Pass, runner: Runner, toolchain: Toolchain, before: Observation
) -> None:
    found = list(candidates(each, KERNEL))
    assert found
    for hint, text in found:
        after = compiled(runner, toolchain, text)
        assert after.kernels == before.kernels, f"{hint.label}\n{text}\n{after.stderr}"


PLAIN = KERNEL.replace(
    KERNEL[KERNEL.index("    def pack(") : KERNEL.index("    def body(")],
    """\
    def pack(rows, total, scale):
        return [rows[0], rows[1], total, scale]

    def unpack(flat):
        return [flat[0], flat[1]], flat[2], flat[3]

""",
)
"""With nothing left to count and to append."""


@pytest.mark.parametrize("each", (packs.PASS, loops.PASS), ids=lambda each: each.name)
def test_what_goes_in_all_places_at_once_compiles(each: Pass, runner: Runner, toolchain: Toolchain) -> None:
    found = list(candidates(each, PLAIN))
    assert found
    for hint, text in found:
        after = compiled(runner, toolchain, text)
        assert len(after.kernels) == 1, f"{hint.label}\n{text}\n{after.stderr}"
