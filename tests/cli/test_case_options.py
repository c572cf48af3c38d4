"""Options of the fields of a case: what a command line says arrives, and a shown one says it again."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from flybisect.case.case import Baseline, Case
from flybisect.case.declared import as_words, declarations
from flybisect.cli.case_options import SHARED, takes_case

MORE = ("flydsl", "figure", "valid_on", "jobs")


def parsed(*words: str) -> Case:
    found: list[Case] = []
    app = typer.Typer()

    @app.command()
    @takes_case(*MORE)
    def command(context: typer.Context, script: str, *, request: Case) -> None:
        found.append(request)

    ran = CliRunner().invoke(app, ["k.py", *words], obj=("k.py", *words), catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    return found[0]


CASE = Case(
    argv=("gemm", "-x"),
    arch="gfx942",
    flydsl="0.5.0",
    oracle="spills",
    baseline=Baseline(("raw", "a b"), "0.3.0", "gfx950"),
    when="vgprs > 3",
    figure='bases("ds_read*")',
    timeout=5.0,
    memory=512,
    env=(("A", "1"), ("B", "x y")),
    pattern="ds_read",
    absent=True,
    stage="last",
    command="true",
    same_as=("one", "two"),
    valid_on=("0.2.4", "0.3.0"),
    jobs=3,
    workdir=Path("/w"),
    scheduler="tcp://here:8786",
)


def test_every_option_arrives() -> None:
    assert all(getattr(CASE, name) for name in (*SHARED, *MORE))
    names = [each.name for each in fields(Case) if each.name not in ("script", "argv", "repo")]
    words = as_words(CASE, names)
    assert parsed(*words, "--", *CASE.arguments) == CASE


def test_nothing_is_said_of_what_is_not_given() -> None:
    assert parsed() == Case()
    assert as_words(Case(), [each.name for each in fields(Case)]) == []


def test_a_bare_end_of_options_says_that_there_are_no_arguments() -> None:
    assert parsed("--").argv == ()
    assert parsed("--oracle", "spills", "--", "a").argv == ("a",)


def test_files_are_meant_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fly").mkdir()
    found = parsed("--oracle", "mine.yaml", "--flydsl", "fly", "--against-flydsl", "./fly", "--workdir", "w")
    assert found.oracle == str(tmp_path / "mine.yaml")
    assert found.flydsl == str(tmp_path / "fly")
    assert found.baseline == Baseline(flydsl=str(tmp_path / "fly"))
    assert found.workdir == tmp_path / "w"


def test_every_shared_field_has_an_option() -> None:
    known = {each.name: found for each, found in declarations(Case)}
    assert all(known[name].help for name in (*SHARED, *MORE) if name != "baseline")
    assert all(found.help for _, found in declarations(Baseline))
