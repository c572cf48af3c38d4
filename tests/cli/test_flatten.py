"""Kernels in several files and pytest tests, through the command line, on the installed FlyDSL."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.cli.running import Run

SIZES = "VALUES = 140\nLANES = 1024\n"
KERNEL = """
import flydsl.compiler as flyc
import flydsl.expr as fx

from . import sizes
from .sizes import LANES


def pick(held, i):
    return held[(i * 3) % sizes.VALUES]


@flyc.kernel(known_block_size=[LANES, 1, 1])
def mix(source: fx.Tensor, out: fx.Tensor):
    lane = fx.thread_idx.x
    first = fx.Int32(lane) * sizes.VALUES
    held = [fx.Float32(source[first + i]) for i in range(sizes.VALUES)]
    fx.gpu.barrier()
    total = fx.Float32(0.0)
    for i in fx.range_constexpr(sizes.VALUES):
        total = total * total + pick(held, i)
    for i in fx.range_constexpr(sizes.VALUES):
        total = total * total + held[sizes.VALUES - 1 - i]
    out[lane] = total
"""
LAUNCH = """
import flydsl.compiler as flyc
import flydsl.expr as fx

from kern import sizes
from kern.mix import mix as kernel


@flyc.jit
def run(source: fx.Tensor, out: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    kernel(source, out).launch(grid=(1, 1, 1), block=(sizes.LANES, 1, 1), stream=stream)
"""
BENCH = """
import torch
from kern import launch, sizes

launch.run(torch.zeros(sizes.LANES * sizes.VALUES, device="cuda"), torch.zeros(sizes.LANES, device="cuda"))
"""
TEST = """
import pytest
import torch
from kern import launch, sizes


@pytest.fixture
def source(request):
    return torch.zeros(sizes.LANES * sizes.VALUES, device="cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("fill", [0.0, 1.5], ids=["zero", "more"])
def test_mix(source, fill):
    out = torch.full((sizes.LANES,), fill, device="cuda")
    launch.run(source, out)
    assert out.device.type == "cuda"
"""
FILES = {
    "pyproject.toml": "",
    "kern/__init__.py": "",
    "kern/sizes.py": SIZES,
    "kern/mix.py": KERNEL,
    "kern/launch.py": LAUNCH,
    "bench/bench.py": BENCH,
    "tests/test_mix.py": TEST,
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "project"


def _imports_kern(script: Path) -> bool:
    tree = ast.parse(script.read_text(encoding="utf-8"))
    return any(getattr(node, "module", None) in ("kern", "kern.mix") for node in ast.walk(tree))


def test_modules_are_found_and_flattened(run: Run, project: Path, tmp_path: Path, workdir: Path) -> None:
    script = project / "bench" / "bench.py"
    spills = ("--oracle", "spills", "--arch", "gfx942", "--workdir", workdir, "--json")
    there = run("check", script, *spills)
    assert there.code == 0, there
    assert there.data["metrics"]["vgpr_spills"] > 0
    out = tmp_path / "one.py"
    ran = run("flatten", script, "-o", out)
    assert ran.code == 0 and "flattened 4 local modules" in ran.err
    assert not _imports_kern(out)
    alone = run("check", out, *spills)
    assert (alone.code, alone.data["metrics"]) == (0, there.data["metrics"])


def test_reducing_starts_from_one_text(run: Run, project: Path, tmp_path: Path, workdir: Path) -> None:
    out = tmp_path / "min.py"
    ran = run(
        "reduce", project / "bench" / "bench.py", "--oracle", "spills", "--arch", "gfx942", "-o", out,
        "--workdir", workdir, "--passes", "helpers,dead", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran
    assert "flattened 4 local modules" in ran.err
    assert ran.data["verified_cold"] and ran.data["statements_before"] > 20
    assert not _imports_kern(out)


def test_a_test_of_pytest(run: Run, project: Path, workdir: Path) -> None:
    test = f"{project / 'tests' / 'test_mix.py'}::test_mix[more]"
    ran = run("check", test, "--oracle", "spills", "--arch", "gfx942", "--workdir", workdir)
    assert ran.code == 0, ran
    printed = run("flatten", test).out
    assert printed.endswith("test_mix(source=source_value, fill=1.5)\n") and "pytest" not in printed


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("bench/bench.py", "from kern.gone import f\n", "imports kern.gone, which is not there"),
        ("kern/sizes.py", "from kern.mix import mix\nVALUES = LANES = 8\n", "in a circle"),
    ],
)
def test_what_python_cannot_import(run: Run, project: Path, name: str, text: str, said: str) -> None:
    (project / name).write_text(text, encoding="utf-8")
    ran = run("flatten", project / "bench" / "bench.py")
    assert ran.code == 2 and said in ran.err and ran.err.count("\n") == 1


def test_a_script_that_does_not_show_the_same_flattened(run: Run, project: Path, workdir: Path) -> None:
    """It counts the files of its package."""
    (project / "kern" / "sizes.py").write_text(
        "import sys\nVALUES = 140 if 'kern.sizes' in sys.modules else 8\nLANES = 1024\n", encoding="utf-8"
    )
    ran = run(
        "reduce", project / "bench" / "bench.py", "--oracle", "spills", "--arch", "gfx942",
        "--workdir", workdir, "--passes", "comments", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran
    assert "not flattened: with its modules in it the script does not show the same" in ran.err
    assert _imports_kern(Path(ran.data["output"]))
