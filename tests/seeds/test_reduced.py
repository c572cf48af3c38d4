"""The shipped cases from the start to a checked result, within the figures that were set for them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from flybisect.toolchain.installed import installed_version
from tests.releases import sharing_releases

ROOT = Path(__file__).parents[2]


def _reduced(case: str, workdir: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "flybisect", "reduce", f"seeds/{case}", "--jobs", "1"]
    ended = subprocess.run(
        [*command, "--workdir", str(workdir), "--json"], cwd=ROOT, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    assert found["minimal"] and found["verified_cold"]
    return found


@pytest.mark.skipif(installed_version() != "0.5.0", reason="the figures are for FlyDSL 0.5.0")
def test_a_copy_that_does_not_legalize(tmp_path: Path) -> None:
    found = _reduced("buffer_copy", tmp_path)
    assert found["signature"] == "legalization: fly.copy_atom_call_ssa"
    assert found["statements_after"] <= 16
    assert found["compiles"] <= 120
    # The result is a script of its own, and shows the bug without the tool's help.
    check = [sys.executable, "-m", "flybisect", "check", found["script"], "--oracle", "legalization"]
    assert subprocess.run([*check, "--arch", "gfx942", "--workdir", str(tmp_path)], cwd=ROOT).returncode == 0


@pytest.mark.release
def test_an_assertion_of_an_older_release(tmp_path: Path) -> None:
    found = _reduced("buffer_copy/assertion.case.yaml", sharing_releases(tmp_path))
    assert found["signature"].startswith('assertion: castIsValid(op, S, Ty) && "Invalid cast!"')
    assert found["flydsl"] == "0.3.0"
    assert found["statements_after"] <= 16


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.timeout(3600)
def test_spills_that_a_no_op_removes(tmp_path: Path) -> None:
    found = _reduced("recast_iter", sharing_releases(tmp_path))
    assert found["statements_after"] <= 60
    # 60 statements are reached within 300; the rest is the proof, and the last few of them.
    assert found["compiles"] <= 650
    assert found["seconds"] < 40 * 60
    assert found["metrics"]["vgpr_spills"] > found["metrics"]["base.vgpr_spills"] == 0
