"""The limit of registers that makes a difference show: rules, and the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.observation import Kernel, Probe
from flybisect.probe.runner import Runner
from flybisect.reduce.pressure import GRANULE, LEAST, Sides, hint, widens
from flybisect.source.cut import carry_out
from flybisect.source.scopes import Statements
from flybisect.source.source import Source
from flybisect.toolchain.resolve import resolve
from flybisect.toolchain.rocm import find_rocm
from tests.releases import KEPT

TEXT = "@flyc.kernel\ndef k(A): pass\n@flyc.jit\ndef launch(A): k(A).launch()\nlaunch(1)\n"
SMALL = st.integers(0, 512)
"""Numbers of registers and of spills."""


def sides(case: tuple[int, int], base: tuple[int, int], name: str = "k_0") -> Sides:
    """Registers and spills of each."""
    return Sides(*(Kernel(name, vgprs=each[0], vgpr_spills=each[1]) for each in (case, base)))


def limited(found: Sides, text: str = TEXT, arch: str = "gfx950") -> str | None:
    table = Statements(Source(text))
    made = hint(table, found, arch)
    return None if made is None else carry_out(table, made.cut)


def with_number(number: int) -> str:
    return TEXT.replace("k(A).l", f'k(A, value_attrs={{"passthrough": [["amdgpu-num-vgpr", "{number}"]]}}).l')


@pytest.mark.parametrize(
    ("case", "base", "before", "number"),
    [
        ((152, 0), (140, 0), None, 72),
        ((256, 44), (242, 0), None, 124),
        ((140, 26), (140, 0), 70, 66),
        ((140, 26), (120, 0), 70, 60),
        ((140, 0), (140, 0), None, None),
        ((120, 0), (140, 0), None, None),
        ((128, 1464), (128, 1459), None, None),
        ((18, 1), (6, 0), None, None),
    ],
)
def test_what_the_baseline_needs(
    case: tuple[int, int], base: tuple[int, int], before: int | None, number: int | None
) -> None:
    text = TEXT if before is None else with_number(before)
    assert limited(sides(case, base), text) == (None if number is None else with_number(number))


def test_registers_that_are_not_counted_twice() -> None:
    assert limited(sides((152, 0), (140, 0)), arch="gfx1201") == with_number(144)


def test_another_kernel_is_left() -> None:
    assert limited(sides((152, 0), (140, 0), "other_0")) is None


def test_all_calls_of_the_kernel_or_none() -> None:
    twice = TEXT.replace("launch(1)\n", "@flyc.jit\ndef again(A): k(A, 2).launch()\n")
    found = limited(sides((152, 0), (140, 0)), twice)
    assert found is not None and found.count('"amdgpu-num-vgpr", "72"') == 2
    assert limited(sides((152, 0), (140, 0)), twice.replace("k(A, 2)", "k(A, **more)")) is None


@given(SMALL, SMALL, SMALL)
def test_it_only_comes_down(case: int, base: int, spills: int) -> None:
    text, found, numbers = TEXT, sides((case, spills), (base, 0)), [1 << 20]
    while (new := limited(found, text)) is not None:
        text = new
        numbers.append(int(new.split('"amdgpu-num-vgpr", "')[1].partition('"')[0]) * 2)
        assert LEAST - 1 <= numbers[-1] < numbers[-2]
        assert len(numbers) < 3 + base // GRANULE


@given(SMALL, SMALL, SMALL, SMALL)
def test_widening_is_of_the_difference(first: int, base: int, second: int, other: int) -> None:
    before, after = sides((1, first), (1, base)), sides((1, second), (1, other))
    assert widens(before, after) == (second - other > first - base and other <= base)
    assert not widens(before, before)
    assert not (widens(before, after) and widens(after, before))


KERNEL = """\
import sys
import torch
import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def k(A: fx.Tensor, out: fx.Tensor):
    count = 100 if "--fewer" in sys.argv else 120
    lane = fx.Int32(fx.thread_idx.x)
    held = [fx.Float32(A[lane * 150 + j]) for j in range(count)]
    fx.gpu.barrier()
    total = fx.Float32(0.0)
    for j in fx.range_constexpr(count):
        total = total * total + held[(j * 7) % count]
    for j in fx.range_constexpr(count):
        total = total * total + held[count - 1 - j]
    out[lane] = total


@flyc.jit
def run(A: fx.Tensor, out: fx.Tensor):
    k(A, out).launch(block=(64, 1, 1))


run(torch.zeros(65536), torch.zeros(65536))
"""


@pytest.mark.release
@pytest.mark.parametrize("arch", ["gfx942", "gfx1201"])
def test_a_difference_of_registers_becomes_spills(arch: str, tmp_path: Path) -> None:
    """Through the real compiler, which counts registers in two ways."""
    toolchain = resolve("0.3.0", KEPT, find_rocm(KEPT))
    with Runner(tmp_path / "scratch", jobs=1) as runner:

        def seen(text: str) -> Sides:
            probes = (Probe(text, "script.py", arch, argv=argv) for argv in ((), ("--fewer",)))
            observed = [runner.run(probe, toolchain) for probe in probes]
            assert all(each.kernels for each in observed), [each.stderr for each in observed]
            return Sides(*(each.kernels[0] for each in observed))

        before = seen(KERNEL)
        assert before.case.vgprs > before.base.vgprs and before.difference == 0
        text = limited(before, KERNEL, arch)
        assert text is not None
        after = seen(text)
    assert after.case.vgprs < before.case.vgprs
    assert after.case.vgpr_spills > 0 == after.base.vgpr_spills
    assert widens(before, after)
