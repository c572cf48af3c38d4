"""Figures of a comparison ranked, and `--figure`, on the installed FlyDSL."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import Run

CASE = ("--oracle", "spills", "--arch", "gfx942", "--against-args", "")
FIGURE = 'bases("global_store_dword")'


@pytest.fixture
def words(script: Callable[[str], Path], workdir: Path) -> tuple[object, ...]:
    return (script("cause_and_symptom.py"), *CASE, "--workdir", workdir)


def test_check_ranks_figures(run: Run, words: tuple[object, ...]) -> None:
    ran = run("check", *words, "--figure", "auto", "--json", "--", "--tight")
    assert ran.code == 0
    found = ran.data["differences"]
    ratios = [each["ratio"] for each in found]
    assert ratios == sorted(ratios, reverse=True)
    by_name = {each["figure"]: each for each in found}
    assert found[0]["kind"] == by_name["vgpr_spills"]["kind"] == "pressure"
    assert by_name["vgpr_spills"]["this"] > by_name["vgpr_spills"]["base"] == 0
    assert by_name[FIGURE]["kind"] == "structure"
    assert ran.data["followed"].startswith(f"{FIGURE} is followed")


def test_check_prints_them(run: Run, words: tuple[object, ...]) -> None:
    lines = run("check", *words, "--", "--tight").out.splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("differs most"))
    assert lines[head].split()[2:] == ["this", "base", "ratio", "kind"]
    assert any(line.startswith("vgpr_spills ") for line in lines[head + 1 :])


def test_a_script_without_its_bug_is_compared_all_the_same(run: Run, words: tuple[object, ...]) -> None:
    ran = run("check", *words[:-4], "--against-args", "--tight", *words[-2:], "--json")
    assert ran.code == 1
    assert {"figure", "this", "base", "ratio", "kind"} == set(ran.data["differences"][0])
    assert ran.data["followed"] is None


def test_compare_ranks_them(run: Run, script: Callable[[str], Path], workdir: Path) -> None:
    path = script("cause_and_symptom.py")
    columns = ("--args=--tight", "--args", "", "--arch", "gfx942", "--workdir", workdir)
    ran = run("compare", path, *columns, "--json")
    (beside,) = ran.data["differences"]
    assert beside["args"] == []
    assert FIGURE in {each["figure"] for each in beside["figures"]}
    assert "--tight, with no arguments as base:" in run("compare", path, *columns).out


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (("--figure", "vgpr"), "no figure"),
        (("--figure", "base.vgprs"), "no figure"),
        (("--figure", "auto", "--when", "vgprs > 1"), "--when"),
    ],
)
def test_what_makes_no_sense(run: Run, words: tuple[object, ...], more: tuple[str, ...], word: str) -> None:
    ran = run("reduce", *words, *more, "--", "--tight")
    assert ran.code == 2
    assert word in ran.err


def test_a_condition_that_an_empty_kernel_meets(run: Run, words: tuple[object, ...]) -> None:
    plain = (words[0], "--arch", "gfx942", "--oracle", "isa", *words[-2:], "--when", "vgprs <= 128")
    ran = run("reduce", *plain, "--", "--tight")
    assert ran.code == 2
    assert "kernel without a body" in ran.err
    assert "kernel without a body" in run("check", *plain, "--", "--tight").err


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_both_scripts_in_the_report(run: Run, words: tuple[object, ...], tmp_path: Path) -> None:
    """The bundle's `reproduce.sh` is run, too: it has flybisect judge, in a trial's confinement."""
    bundle = tmp_path / "bundle.zip"
    passes = ("--passes", "statements,names,ones,comments")
    ran = run("run", *words, "--figure", "auto", *passes, "--bundle", bundle, "--json", "--", "--tight")
    assert ran.code == 0, ran.err
    reduction = ran.data["reduction"]
    figure = reduction["figure"]
    assert figure["figure"] == FIGURE
    assert not figure["symptom_left"]
    assert reduction["metrics"]["vgpr_spills"] == 0
    assert reduction["statements_after"] <= figure["symptom_statements"] < reduction["statements_before"]
    assert reduction["condition"] in reduction["signature"]
    report = Path(ran.data["report"]).read_text()
    assert "distinct base registers of global_store_dword, against 1" in report.splitlines()[0]
    assert "## The symptom" in report
    symptom = Path(figure["symptom_script"])
    assert symptom.read_text().strip() in report
    with zipfile.ZipFile(bundle) as packed:
        assert {"bundle/repro.py", "bundle/symptom.py", "bundle/reproduce.sh"} <= set(packed.namelist())
    again = run("check", symptom, *words[1:], "--json", "--", "--tight")
    assert again.data["verdict"] == "interesting"
