"""`flybisect compare`, `oracles`, `passes`, `doctor`, `--version`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flybisect import __version__
from flybisect.judge.judge import Setting
from flybisect.observation import Kernel, Observation, Outcome, Stage
from flybisect.terminal.compare import as_markdown
from flybisect.toolchain.model import Toolchain
from flybisect.workflows.compare import ComparedColumn, figures
from tests.cli.running import Run

ARCH = ("--arch", "gfx942")


def test_arguments_side_by_side(run: Run, script: Callable[[str], Path], workdir: Path) -> None:
    path = script("pressure.py")
    words = ("compare", path, "--args", "140", "--args", "20", *ARCH, "--workdir", workdir)
    ran = run(*words, "--json")
    assert ran.code == 0
    many, few = (column["figures"] for column in ran.data["columns"])
    assert many["VGPR spills"] > 0 == few["VGPR spills"]
    assert many["scratch stores"] > 0 == few["scratch stores"]
    assert many["scratch bytes"] > 0 == few["scratch bytes"]
    assert many["instructions"] > few["instructions"] > 0


def test_markdown() -> None:
    lines = as_markdown([_column("--copy a|b", 44), _column("", 0)]).splitlines()
    assert lines[0] == r"|  | `--copy 'a\|b'` | `no arguments` |"
    assert lines[1] == "| --- | ---: | ---: |"
    assert "| VGPR spills | 44 | 0 |" in lines


def _column(args: str, spills: int) -> ComparedColumn:
    toolchain = Toolchain("installed", "installed", "key", "0.5.0", Path("python"))
    kernels = (Kernel("k", vgpr_spills=spills),)
    seen = Observation(Outcome.OK, Stage.DONE, "gfx942", "0.5.0", kernels=kernels)
    return ComparedColumn(Setting(toolchain, tuple(args.split()), "gfx942"), seen)


def test_what_fails_is_told_below(run: Run, script: Callable[[str], Path], workdir: Path) -> None:
    path = script("complement.py")
    ran = run("compare", path, "--args", "--static", "--args", "", *ARCH, "--workdir", workdir)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].split() == ["--static", "no", "arguments"]
    assert lines[1].split() == ["VGPRs", "2", "-"]
    assert lines[-2].split() == ["outcome", "ok", "fails"]
    assert lines[-1].startswith("no arguments: LayoutUtils.h: complementImpl: Assertion")


def test_scratch_traffic_is_not_claimed_where_it_cannot_be_told() -> None:
    kernel = Kernel("k", instructions={"scratch_load_dword": 2, "s_endpgm": 1}, bases={"ds_read_b64": 3})
    old = Observation(Outcome.OK, Stage.DONE, "gfx90a", "0.5.0", kernels=(kernel,))
    new = Observation(Outcome.OK, Stage.DONE, "gfx942", "0.5.0", kernels=(kernel,))
    assert "scratch loads" not in dict(figures(old))
    assert dict(figures(new))["scratch loads"] == 2
    assert dict(figures(new))["ds_read_b64 bases"] == 3
    assert dict(figures(new))["instructions"] == 3


def test_oracles(run: Run) -> None:
    ran = run("oracles")
    assert ran.code == 0
    names = [line.split()[0] for line in ran.out.splitlines()]
    assert {"assertion", "legalization", "spills"} <= set(names)
    assert names == sorted(names)
    assert all(len(line.split()) > 3 for line in ran.out.splitlines())


def test_passes(run: Run) -> None:
    ran = run("passes")
    names = [line.split()[0] for line in ran.out.splitlines()]
    assert {"statements", "ones", "comments"} <= set(names)
    assert len(names) == len(set(names))


def test_doctor(run: Run, workdir: Path) -> None:
    ran = run("doctor", "--workdir", workdir, "--json")
    assert ran.code == 0
    assert ran.data["usable"] is True
    states = {check["name"]: check["state"] for check in ran.data["checks"]}
    assert states["FlyDSL"] == states["ld.lld"] == "ok"
    assert "confinement" in states
    assert "FlyDSL" in run("doctor", "--workdir", workdir).out


def test_doctor_of_a_machine_that_lacks_something(run: Run, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    ran = run("doctor", "--workdir", blocked / "w")
    assert ran.code == 1
    assert "--workdir" in ran.out


@pytest.mark.parametrize("word", ["--version"])
def test_version(run: Run, word: str) -> None:
    assert run(word).out == f"flybisect {__version__}\n"
