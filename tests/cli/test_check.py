"""`flybisect check` on the installed FlyDSL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flybisect.observation import Observation
from tests.cli.running import Run

COMPLEMENT = "complementImpl"
ARCH = ("--arch", "gfx942")


def test_interesting(run: Run, script: Callable[[str], Path], workdir: Path) -> None:
    path = script("complement.py")
    ran = run("check", path, "--oracle", "assertion", *ARCH, "--workdir", workdir, "--json")
    assert ran.code == 0
    data = ran.data
    assert set(data) >= {"verdict", "oracle", "signature", "metrics", "observation"}
    assert (data["verdict"], data["oracle"]) == ("interesting", "assertion")
    assert COMPLEMENT in data["signature"]
    assert data["observation"]["outcome"] == "signal"
    assert str(path.parent) not in ran.out
    assert list(path.parent.iterdir()) == [path]


def test_arguments_behind_two_dashes_reach_the_script(
    run: Run, script: Callable[[str], Path], workdir: Path
) -> None:
    path = script("complement.py")
    ran = run("check", path, "--oracle", "assertion", *ARCH, "--workdir", workdir, "--", "--static")
    assert ran.code == 1
    assert ran.out.startswith("uninteresting")


def test_measured_against_other_arguments(run: Run, script: Callable[[str], Path], workdir: Path) -> None:
    path = script("pressure.py")
    words = ("check", path, "--oracle", "spills", *ARCH, "--against-args", "20", "--workdir", workdir)
    ran = run(*words, "--when", "vgpr_spills >= base.vgpr_spills + 8", "--json")
    assert ran.code == 0
    metrics = ran.data["metrics"]
    assert metrics["vgpr_spills"] > 0
    assert metrics["base.vgpr_spills"] == 0
    assert Observation.from_json(json.dumps(ran.data["base"])).metrics()["vgpr_spills"] == 0


def test_signature_narrows_it_to_one_bug(run: Run, script: Callable[[str], Path], workdir: Path) -> None:
    path = script("complement.py")
    words = ("check", path, "--oracle", "assertion", *ARCH, "--workdir", workdir, "--json")
    other = run(*words, "--signature", "assertion: t.rank() == 2 in zip (Utils.h)")
    assert (other.code, other.data["verdict"]) == (1, "uninteresting")
    assert "another bug" in other.data["why"]


def test_cannot_be_judged(run: Run, tmp_path: Path, workdir: Path) -> None:
    path = tmp_path / "old_api.py"
    path.write_text("import flydsl.expr as fx\nfx.no_such_function()\n")
    ran = run("check", path, "--oracle", "assertion", *ARCH, "--workdir", workdir, "--json")
    assert (ran.code, ran.data["verdict"]) == (125, "unresolved")


def test_case_of_a_folder_and_beside_the_script(
    run: Run, script: Callable[[str], Path], workdir: Path
) -> None:
    path = script("complement.py")
    case = path.parent / "case.yaml"
    case.write_text("script: complement.py\nargs: --static\narch: gfx942\noracle: assertion\n")
    assert run("check", path.parent, "--workdir", workdir).code == 1
    assert run("check", path, "--workdir", workdir, "--").code == 0, (
        "a bare -- takes the case's arguments away"
    )


def test_own_oracle(run: Run, script: Callable[[str], Path], workdir: Path) -> None:
    path = script("complement.py")
    own = path.parent / "mine.yaml"
    own.write_text(
        "name: mine\nsummary: strides\npattern: 'stride must be (?P<what>[a-z]+)'\n"
        "streams: [stderr]\nsignature: '{what}'\n"
    )
    ran = run("check", path, "--oracle", own, *ARCH, "--workdir", workdir, "--json")
    assert (ran.code, ran.data["oracle"], ran.data["signature"]) == (0, "mine", "mine: static")


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_what_is_no_text_is_printed_all_the_same(tmp_path: Path, workdir: Path, words: list[str]) -> None:
    path = tmp_path / "says.py"
    path.write_text("raise ValueError('gr\\u00fc\\u00dfe \\udce9')\n", encoding="utf-8")
    command = [sys.executable, "-m", "flybisect", "check", str(path), "--oracle", "assertion", *ARCH]
    ran = subprocess.run(
        [*command, "--workdir", str(workdir), *words],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (ran.returncode, ran.stderr) == (1, b"")
    if words:
        assert "gr\u00fc\u00dfe \udce9" in json.loads(ran.stdout)["why"]
    else:
        assert b"gr\\xfc\\xdfe" in ran.stdout
