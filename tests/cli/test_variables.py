"""`--env`, on the installed FlyDSL: a kernel whose bug needs a variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run

SCRIPT = """\
import os

import torch
import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def k(A: fx.Tensor):
    t = fx.thread_idx.x


@flyc.jit
def go(A: fx.Tensor):
    k(A).launch(grid=(1, 1, 1), block=(64, 1, 1))


if os.environ.get("LIB_VARIANT", "plain") == "broken":
    raise ValueError("the broken variant")
go(torch.zeros(64, device="cuda"))
"""
WORDS = ("--oracle", "exception", "--arch", "gfx942")
NOTE = "the script reads LIB_VARIANT, which is set here but not in trials; add --env LIB_VARIANT"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIB_VARIANT", "broken")
    (tmp_path / "script.py").write_text(SCRIPT)
    return tmp_path / "script.py"


def test_check(run: Run, path: Path, workdir: Path) -> None:
    without = run("check", path, *WORDS, "--workdir", workdir, "--json")
    assert (without.code, without.data["missing_variables"]) == (1, ["LIB_VARIANT"])
    assert without.err.splitlines() == [NOTE]
    words = ("check", path, *WORDS, "--workdir", workdir)
    handed = run(*words, "--env", "LIB_VARIANT")
    assert (handed.code, handed.err) == (0, "")
    assert run(*words, "--env", "LIB_VARIANT=plain").code == 1
    path.with_name("case.yaml").write_text("script: script.py\nenv: {LIB_VARIANT: broken}\n")
    assert run(*words).code == 0
    assert run(*words, "--env", "LIB_VARIANT=plain").code == 1


def test_reduce_and_what_is_shown_of_it(run: Run, path: Path, tmp_path: Path) -> None:
    workdir, out = tmp_path / "w", tmp_path / "out.py"
    none = run("reduce", path, *WORDS, "--workdir", workdir, "-o", out)
    assert none.code == 2 and NOTE in none.err
    ran = run("reduce", path, *WORDS, "--workdir", workdir, "-o", out, "--env", "LIB_VARIANT", "--json")
    assert ran.code == 0, ran.err
    text = out.read_text()
    assert "--env LIB_VARIANT=broken" in text
    assert "#   LIB_VARIANT=broken python out.py" in text
    session = Path(ran.data["session"])
    assert "LIB_VARIANT: broken" in (session / "case.yaml").read_text()
    listed = run("sessions", "--json", "--workdir", workdir)
    assert "LIB_VARIANT" in listed.out


def test_compare(run: Run, path: Path, workdir: Path) -> None:
    ran = run("compare", path, "--arch", "gfx942", "--workdir", workdir, "--json")
    assert ran.data["missing_variables"] == ["LIB_VARIANT"] and NOTE in ran.err
    ran = run("compare", path, "--arch", "gfx942", "--workdir", workdir, "--json", "--env", "LIB_VARIANT")
    assert ran.data["columns"][0]["observation"]["exceptions"][0]["message"] == "the broken variant"
    assert ran.data["missing_variables"] == []
