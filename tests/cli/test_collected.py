"""A test whose parameters a function makes, collected in a trial of the installed FlyDSL."""

from __future__ import annotations

from pathlib import Path

from tests.cli.running import Run

TEXT = """\
import pytest
import torch
import flydsl.compiler as flyc
import flydsl.expr as fx


def cases():
    for dtype in (torch.float16, torch.float32):
        yield pytest.param(dtype, id=str(dtype).split(".")[1])


@flyc.kernel
def k(A: fx.Tensor):
    t = fx.thread_idx.x


@flyc.jit
def go(A: fx.Tensor):
    k(A).launch(grid=(1, 1, 1), block=(64, 1, 1))


@pytest.mark.parametrize("dtype", cases())
def test_copy(dtype):
    go(torch.zeros(64, device="cuda", dtype=dtype))
"""


def test_check(run: Run, tmp_path: Path, workdir: Path) -> None:
    path = tmp_path / "test_kernel.py"
    path.write_text(TEXT)
    words = ("--arch", "gfx942", "--workdir", workdir)
    ran = run("check", f"{path}::test_copy[float16]", "--oracle", "auto", *words, "--json")
    assert (ran.code, ran.data["observation"]["outcome"]) == (1, "ok"), ran.err
    assert ran.data["observation"]["kernels"]
    flat = run("flatten", f"{path}::test_copy[float16]", *words)
    assert flat.out.endswith("test_copy(dtype=torch.float16)\n")
    wrong = run("check", f"{path}::test_copy[float64]", "--oracle", "auto", *words)
    assert wrong.code == 2 and "it has [float16], [float32]" in wrong.err
    for command in ("check", "reduce"):
        alone = run(command, path, "--oracle", "auto", *words)
        assert alone.code == 2 and "test_kernel.py::test_copy" in alone.err
