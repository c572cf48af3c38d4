"""`flybisect run`: every step on the real FlyDSL, and what is said of those that can't be done."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.releases import sharing_releases

pytestmark = pytest.mark.timeout(600)
"""Each compiles in several processes that are cold."""

SEED = Path(__file__).parents[2] / "seeds" / "buffer_copy"


@pytest.mark.release
def test_from_a_script_to_a_report(run: Run, tmp_path: Path) -> None:
    workdir = sharing_releases(tmp_path / "workdir")
    script = shutil.copy(SEED / "gemm_vgpr_compare.py", tmp_path / "gemm.py")
    case = (script, "--oracle", "vgprs", "--when", "vgprs > 27", "--arch", "gfx942", "--flydsl", "0.3.1")
    words = (*case, "--releases", "0.3.0..0.3.1", "--passes", "comments", "--workdir", workdir)
    more = ("--variant", "raw", "--repo", tmp_path, "--json", "--", "gemm")
    ran = run("run", *words, *more)
    assert ran.code == 0, ran.err
    done = {step["name"]: step["done"] for step in ran.data["steps"]}
    names = ["check", "releases", "reduce", "table of releases", "commits"]
    assert [step["name"] for step in ran.data["steps"]] == names
    assert [name for name in names if not done[name]] == ["commits"]
    assert ran.data["reduction"]["valid_on"] == ["0.3.0"]
    assert ran.data["releases"]["first_bad"] == "0.3.1"
    assert [row["side"] for row in ran.data["matrix"]["releases"]] == ["good", "bad"]
    assert [row["metrics"]["vgprs"] for row in ran.data["variants"][0]["releases"]] == [24, 24]
    report = Path(ran.data["report"]).read_text()
    assert "| 0.3.0 | clean | 26 |" in report
    assert "It first appears in 0.3.1" in report
    assert "is not in a git clone" in report
    again = run("run", *words, *more)
    assert again.code == 0, again.err
    assert again.data["releases"] == ran.data["releases"]
    assert again.data["reduction"]["compiles"] <= 2  # cold, here and on the neighbour


def test_what_is_wrong_is_said_at_once(run: Run, script: Callable[[str], Path], workdir: Path) -> None:
    path = script("pressure.py")
    words = ("run", path, "--arch", "gfx942", "--workdir", workdir)
    ran = run(*words, "--oracle", "spills", "--matrix")
    assert ran.code == 2
    assert "--releases" in ran.err
    ran = run(*words, "--oracle", "legalization", "-q", "--", "5")
    assert ran.code == 2
    assert "uninteresting" in ran.err
    assert ran.out == ""
