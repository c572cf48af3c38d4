"""`flybisect releases` and `flybisect matrix`; bisections over real releases are marked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import Run

WORKDIR = Path(__file__).parents[2] / "workdirs"
"""Kept between runs, so that a release is fetched once."""
ARCH = ("--arch", "gfx942")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("releases", "0.3.1..0.3.0", "--oracle", "spills"), "wrong way round"),
        (("releases", "0.3.0", "--oracle", "spills"), "no range of releases"),
        (("releases", "main..0.3.0", "--oracle", "spills"), "not a version"),
        (("releases", "0.0.1..0.3.0", "--oracle", "spills"), "no FlyDSL 0.0.1"),
        (("releases", "0.3.0..0.3.1", "--oracle", "spils"), "did you mean spills"),
    ],
)
def test_bad_ranges(
    run: Run, script: Callable[[str], Path], workdir: Path, words: tuple[str, ...], said: str
) -> None:
    ran = run(*words, "--case", script("pressure.py"), *ARCH, "--workdir", workdir)
    assert ran.code == 2
    assert said in ran.err
    assert len([line for line in ran.err.splitlines() if line.startswith("flybisect: ")]) == 1


def test_a_case_or_a_reduction_is_needed(run: Run, tmp_path: Path) -> None:
    ran = run("releases", "0.3.0..0.3.1", "--workdir", tmp_path)
    assert ran.code == 2
    assert "--case" in ran.err


@pytest.mark.release
def test_a_hang_was_repaired_in_0_3_0(run: Run, script: Callable[[str], Path]) -> None:
    path = script("vector_list.py")
    words = ("0.2.4..0.3.1", "--case", path, "--oracle", "hang", *ARCH, "--workdir", WORKDIR)
    ran = run("releases", *words, "--json")
    assert ran.code == 0, ran.err
    assert (ran.data["last_bad"], ran.data["first_good"]) == ("0.2.4", "0.3.0")
    assert (ran.data["find"], ran.data["exact"], ran.data["monotone"]) == ("fix", True, True)
    assert ran.data["signature"] == "hang: during trace"
    assert [test["side"] for test in ran.data["tests"]] == ["bad", "good", "good"]
    assert run("releases", *words, "--find", "bug").code == 2


@pytest.mark.release
def test_the_table(run: Run, script: Callable[[str], Path]) -> None:
    path = script("vector_list.py")
    words = ("matrix", path, "--flydsl", "0.2.4..0.3.1", *ARCH, "--workdir", WORKDIR)
    ran = run(*words, "--json")
    assert ran.code == 0, ran.err
    assert [row["version"] for row in ran.data["releases"]] == ["0.2.4", "0.3.0", "0.3.1"]
    assert [row["side"] for row in ran.data["releases"]] == ["bad", "good", "good"]
    assert ran.data["changes"][0]["at"] == "0.3.0"
    assert "testing 0.2.4 (1 of 3, " in ran.err
    assert "0.2.4: bad, hang" in ran.err
    lines = run(*words, "--markdown").out.splitlines()
    assert lines[0].startswith("| FlyDSL | verdict |")
    assert lines[3].startswith("| **0.3.0** | good |")
