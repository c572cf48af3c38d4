"""A reduced script shows its bug under study, and compiles on a release without it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.releases import sharing_releases

pytestmark = [pytest.mark.release, pytest.mark.timeout(600)]
CASE = ("--oracle", "auto", "--arch", "gfx942", "--passes", "unexecuted,statements", "-q")


def test_it_is_required_by_hand(run: Run, script: Callable[[str], Path], tmp_path: Path) -> None:
    path, workdir = script("wide_constant.py"), sharing_releases(tmp_path / "workdir")
    words = ("reduce", path, *CASE, "--workdir", workdir, "--json")
    ran = run(*words, "--flydsl", "0.3.0", "--valid-on", "0.3.1")
    assert ran.code == 0, ran.err
    assert (ran.data["valid_on"], ran.data["verified_cold"]) == (["0.3.1"], True)
    assert "--valid-on 0.3.1" in Path(ran.data["output"]).read_text()
    ran = run(*words, "--flydsl", "0.3.0", "--valid-on", "0.2.4")
    assert ran.code == 2
    assert "can't be required to compile on FlyDSL 0.2.4" in ran.err
    ran = run(*words, "--flydsl", "0.3.0", "--valid-on", "0.3.0")
    assert ran.code == 2
    assert "the one under study" in ran.err


def test_a_boundary_that_is_known_is_used(run: Run, script: Callable[[str], Path], tmp_path: Path) -> None:
    path, workdir = script("wide_constant.py"), sharing_releases(tmp_path / "workdir")
    about = ("--oracle", "exception", "--arch", "gfx942", "--workdir", workdir, "--json")
    ran = run("releases", "0.3.0..0.3.1", "--case", path, *about)
    assert ran.code == 0, ran.err
    assert ran.data["boundaries"][0]["first_good"] == "0.3.1"
    ran = run("reduce", path, *CASE, "--workdir", workdir, "--json")  # 0.5.0 is installed
    assert ran.code == 0, ran.err
    assert (ran.data["flydsl"], ran.data["valid_on"]) == ("0.3.0", ["0.3.1"])


def test_run_goes_to_the_last_release_with_the_bug(
    run: Run, script: Callable[[str], Path], tmp_path: Path
) -> None:
    path, workdir = script("wide_constant.py"), sharing_releases(tmp_path / "workdir")
    ran = run("run", path, *CASE, "--workdir", workdir, "--releases", "0.2.4..0.3.1", "--json")
    assert ran.code == 0, ran.err
    steps = {step["name"]: step["told"] for step in ran.data["steps"]}
    assert "FlyDSL 0.3.0 is studied, the last release that shows it" in steps["check"]
    assert steps["releases"] == "fixed in 0.3.1, last affected 0.3.0"
    assert "compiles on FlyDSL 0.3.1" in steps["reduce"]
    assert [row["side"] for row in ran.data["matrix"]["releases"]] == ["bad", "bad", "good"]
