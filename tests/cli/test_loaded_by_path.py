"""A kernel that a script loads by its path: part of the reduction, or named and kept."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.cli.running import Run

KERNEL = """\
import flydsl.compiler as flyc
import flydsl.expr as fx


def build(n):
    @flyc.kernel
    def k(A: fx.Tensor, stride: fx.Int32):
        fx.complement(fx.make_layout((n, 8), (1, stride)), 256)

    @flyc.jit
    def go(A: fx.Tensor, stride: fx.Int32):
        k(A, stride).launch(grid=(1, 1, 1), block=(64, 1, 1))

    return go
"""
HARNESS = """\
import glob
import os
import runpy
import torch

HERE = os.path.dirname(os.path.abspath(__file__))


def load(path):
    return runpy.run_path(path)


if __name__ == "__main__":
    names = LOADED
    try:
        names["build"](4)(torch.zeros(64, device="cuda"), 4)
    except Exception as error:
        print("FAIL", error)
"""
pytestmark = pytest.mark.slow

WORDS = ("--oracle", "auto", "--arch", "gfx942")


@pytest.fixture
def harness(tmp_path: Path) -> Path:
    (tmp_path / "kernel.py").write_text(KERNEL)
    return tmp_path / "harness.py"


def test_it_is_reduced(run: Run, harness: Path, workdir: Path) -> None:
    harness.write_text(HARNESS.replace("LOADED", 'runpy.run_path(os.path.join(HERE, "kernel.py"))'))
    out = harness.with_name("out.py")
    ran = run("reduce", harness, *WORDS, "--workdir", workdir, "-o", out, "--json")
    assert ran.code == 0, ran.err
    assert "flattened 1 local module" in ran.err
    assert ran.data["python_files"] == []
    text = out.read_text()
    assert "complement" in text and "kernel.py" not in text
    assert ran.data["statements_after"] < 14


def test_it_is_named_and_kept(run: Run, harness: Path, workdir: Path) -> None:
    harness.write_text(HARNESS.replace("LOADED", 'load(glob.glob(HERE + "/ker*.py")[0])'))
    out = harness.with_name("out.py")
    ran = run("reduce", harness, *WORDS, "--workdir", workdir, "-o", out)
    assert ran.code == 0, ran.err
    assert "kernel.py is read from beside the script and is not part of it" in ran.err
    assert "the script reads kernel.py from the original script's folder" in ran.out
    bundle = harness.with_name("b.zip")
    run("report", ran_session(workdir), "--workdir", workdir, "--bundle", bundle, "-q")
    with zipfile.ZipFile(bundle) as packed:
        assert packed.read("b/kernel.py").decode() == KERNEL


def ran_session(workdir: Path) -> Path:
    found = sorted((workdir / "sessions").glob("harness-*"), key=lambda path: path.stat().st_mtime)
    return found[-1]
