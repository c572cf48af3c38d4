"""`flybisect report` on reductions by the real FlyDSL, and `reproduce.sh` as a reader runs it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.resources import files as resources
from pathlib import Path

import pytest

from flybisect.cli.main import main
from flybisect.toolchain.rocm import find_rocm
from tests.cli.running import Run

pytestmark = pytest.mark.timeout(600)
"""Each compiles in several processes that are cold."""

SEED = Path(__file__).parents[2] / "seeds" / "buffer_copy" / "reduced" / "legalization.py"
SECTIONS = [
    "## Minimal script",
    "## How to run it",
    "## What it shows",
    "## Environment",
    "## How it was reduced",
    "## Confidence",
]


@pytest.fixture(scope="module")
def reduced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with one reduction."""
    workdir = tmp_path_factory.mktemp("someones-workdir")
    script = shutil.copy(SEED, workdir / "gemm.py")
    words = ["reduce", script, "--oracle", "legalization", "--arch", "gfx942", "--workdir", workdir, "-q"]
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words), "--passes", "comments"])
    assert not ended.value.code
    return workdir


def test_the_report_has_what_a_maintainer_reads(run: Run, reduced: Path) -> None:
    ran = run("report", "--workdir", reduced, "-q")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("# failed to legalize operation 'fly.copy_atom_call_ssa'")
    assert [line for line in ran.out.split("\n") if line in SECTIONS] == SECTIONS
    (best,) = reduced.glob("sessions/*/best.py")
    assert f"```python\n{best.read_text().rstrip()}\n```" in ran.out
    assert "convert-fly-to-rocdl" in ran.out
    assert 'fly.copy_atom_call_ssa"(%' in ran.out or "fly.copy_atom_call_ssa(%" in ran.out
    assert str(reduced) not in ran.out
    assert "someones" not in ran.out
    assert len(ran.out) < 65_536


def test_the_bundle_reproduces_and_notices_a_fix(run: Run, reduced: Path, tmp_path: Path) -> None:
    packed = tmp_path / "bug.zip"
    ran = run("report", "--workdir", reduced, "--bundle", packed, "-o", tmp_path / "r.md", "-q")
    assert ran.code == 0, ran.err
    assert ran.out.split() == [str(packed), str(tmp_path / "r.md")]
    with zipfile.ZipFile(packed) as bundle:
        names = {name.removeprefix("bug/") for name in bundle.namelist()}
        bundle.extractall(tmp_path)
    assert {"report.md", "repro.py", "original.py", "reproduce.sh", "metadata.json"} <= names
    assert any(
        name.startswith("ir/0") and name.endswith("promote_regmem_to_vectorssa.mlir") for name in names
    )
    folder = tmp_path / "bug"
    assert _reproduce(folder, reduced) == 0
    script = folder / "repro.py"
    text = script.read_text()
    script.write_text("import torch\n")
    assert _reproduce(folder, reduced) == 1
    script.write_text(text.replace("fx.copy(", "fx.no_such_thing("))
    assert _reproduce(folder, reduced) == 125


def test_a_measured_bug_is_judged_by_its_condition(
    run: Run, script: Callable[[str], Path], tmp_path: Path
) -> None:
    case = (script("pressure.py"), "--oracle", "vgprs", "--arch", "gfx942", "--against-args", "10")
    ran = run("reduce", *case, "--passes", "comments", "--workdir", tmp_path, "-q", "--", "20")
    assert ran.code == 0, ran.err
    packed = tmp_path / "bug.zip"
    ran = run("report", "--workdir", tmp_path, "--bundle", packed, "-o", tmp_path / "r.md", "-q")
    assert ran.code == 0, ran.err
    report = (tmp_path / "r.md").read_text()
    assert "| VGPRs |" in report
    assert "`10`" in report
    assert "observe.py" in report
    zipfile.ZipFile(packed).extractall(tmp_path)
    folder = tmp_path / "bug"
    assert (folder / "assembly" / "kernel.s").stat().st_size > 1000
    found = (folder / "repro.py").read_text()
    ran = run("export", "--lit", "--workdir", tmp_path, "-q")
    assert ran.code == 2
    assert "--pytest" in ran.err
    ran = run("export", "--pytest", "--workdir", tmp_path, "-q")
    assert ran.code == 0, ran.err
    assert "assert not (this['vgprs'] > base.vgprs" in ran.out
    (folder / "repro.py").write_text(found.replace("VALUES = int", "VALUES = 5 or int"))
    assert _reproduce(folder, tmp_path) == 1


def test_sessions_that_are_not_there(run: Run, reduced: Path, tmp_path: Path) -> None:
    ran = run("report", "--workdir", tmp_path)
    assert ran.code == 2
    assert "holds no session" in ran.err
    ran = run("report", "nothing-like-it", "--workdir", reduced)
    assert ran.code == 2
    assert "flybisect sessions" in ran.err


def _reproduce(folder: Path, workdir: Path) -> int:
    """As its reader runs it, with this machine's linker."""
    environment = {**os.environ, "ROCM_PATH": str(find_rocm(workdir).root)}
    command = ["bash", str(folder / "reproduce.sh"), sys.executable]
    return subprocess.run(command, env=environment, capture_output=True, timeout=120).returncode


def test_an_exported_test_fails_now_and_passes_without_the_bug(
    run: Run, reduced: Path, tmp_path: Path
) -> None:
    path = tmp_path / "test_bug.py"
    ran = run("export", "--pytest", "--workdir", reduced, "-o", path, "-q")
    assert ran.code == 0, ran.err
    text = path.read_text()
    assert "def test_legalization_fly_copy_atom_call_ssa(tmp_path):" in text
    assert "    fx.copy(" in text
    path.write_text(text.replace("    fx.copy(", "    print("))
    environment = {**os.environ, "ROCM_PATH": str(find_rocm(reduced).root)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(path),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stdout


def test_an_exported_file_for_fly_opt(run: Run, reduced: Path) -> None:
    ran = run("export", "--lit", "--workdir", reduced, "-q")
    assert ran.code == 0, ran.err
    assert "// RUN: %fly-opt %s --convert-fly-to-rocdl | FileCheck %s\n" in ran.out
    assert "// CHECK-LABEL: @gemm_kernel" in ran.out
    assert "// CHECK-NOT: fly.copy_atom_call_ssa\nmodule" in ran.out
    assert run("export", "--workdir", reduced).code == 2


def test_filecheck_agrees_with_an_exported_file(run: Run, reduced: Path, tmp_path: Path) -> None:
    """It fails while the bug is there, and passes where the pass lowers all. FlyDSL's wheels have neither
    fly-opt nor FileCheck: its Python bindings run the pass, and FileCheck's port to Python checks."""
    text = run("export", "--lit", "--workdir", reduced, "-q").out
    (tmp_path / "bug.mlir").write_text(text)
    one_pass = "builtin.module(convert-fly-to-rocdl)"
    assert _fly_opt(tmp_path / "bug.mlir", one_pass).returncode != 0
    not_lowered = _fly_opt(tmp_path / "bug.mlir")
    assert not_lowered.returncode == 0
    checked = _filecheck(tmp_path / "bug.mlir", not_lowered.stdout)
    assert checked.returncode == 1 and "CHECK-NOT" in checked.stderr + checked.stdout

    illegal = re.compile(r"= fly\.copy_atom_call_ssa\(.* -> (vector<\w+>)$", re.MULTILINE)
    repaired, count = illegal.subn(r"= arith.constant dense<0> : \1", text)
    assert count
    (tmp_path / "repaired.mlir").write_text(repaired)
    lowered = _fly_opt(tmp_path / "repaired.mlir", one_pass)
    assert lowered.returncode == 0, lowered.stderr
    checked = _filecheck(tmp_path / "bug.mlir", lowered.stdout)
    assert checked.returncode == 0, checked.stderr
    renamed = lowered.stdout.replace("@gemm_kernel", "@another_kernel")
    assert _filecheck(tmp_path / "bug.mlir", renamed).returncode == 1


def _fly_opt(file: Path, *pipeline: str) -> subprocess.CompletedProcess[str]:
    program = file.with_name("fly_opt.py")
    program.write_text(resources("flybisect.report").joinpath("templates/fly_opt.py.txt").read_text())
    command = [sys.executable, str(program), str(file), *pipeline]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def _filecheck(file: Path, given: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "filecheck", str(file)]
    return subprocess.run(command, input=given, capture_output=True, text=True, timeout=120)
