"""`flybisect reduce` on the installed FlyDSL: its result, its files, and being interrupted."""

from __future__ import annotations

import ast
import errno
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from flybisect.case.atomic_file import write_text
from flybisect.session.session import Session
from flybisect.source.source import count_statements
from tests.cli.running import Run

FLYBISECT = [sys.executable, "-m", "flybisect"]
SCRIPT = Path(__file__).parent.parent / "data" / "scripts" / "complement.py"
QUICK = ("--oracle", "assertion", "--arch", "gfx942", "--passes", "statements,names,comments")
KEYS = {
    *("script", "verdict", "signature", "metrics", "statements_before", "statements_after"),
    *("bytes_before", "bytes_after", "compiles", "candidates", "rejected_statically", "cache_hits"),
    *("seconds", "minimal", "verified_cold", "margins", "also_seen"),
}


@dataclass(frozen=True)
class Reduced:
    """One reduction from beginning to end."""

    script: Path
    before: bytes
    out: Path
    command: list[str]
    data: dict[str, Any]


@pytest.fixture(scope="module")
def reduced(tmp_path_factory: pytest.TempPathFactory) -> Reduced:
    folder = tmp_path_factory.mktemp("reduced")
    script = Path(shutil.copy(SCRIPT, folder))
    out = folder / "small.py"
    command = [*FLYBISECT, "reduce", str(script), *QUICK, "-o", str(out), "--json"]
    ran = subprocess.run([*command, "--workdir", str(folder / "w")], capture_output=True, timeout=150)
    assert ran.returncode == 0, ran.stderr
    return Reduced(script, SCRIPT.read_bytes(), out, command, json.loads(ran.stdout))


def test_result(reduced: Reduced) -> None:
    data = reduced.data
    assert set(data) >= KEYS
    assert reduced.script.read_bytes() == reduced.before
    text = reduced.out.read_text()
    assert data["script"] == data["output"] == str(reduced.out)
    assert data["verdict"] == "interesting"
    assert data["minimal"] is data["verified_cold"] is True
    assert data["statements_before"] == count_statements(reduced.before.decode()) > data["statements_after"]
    assert data["statements_after"] == count_statements(text)
    assert data["bytes_after"] < data["bytes_before"] == len(reduced.before)
    assert data["compiles"] > 5
    assert "complementImpl" in data["signature"]
    for also in data["also_seen"]:
        ast.parse(Path(also["script"]).read_text())


def test_comment_at_its_head(reduced: Reduced) -> None:
    text = reduced.out.read_text()
    head = text.split("\n\n")[0]
    assert all(line.startswith("#") for line in head.splitlines())
    assert "flybisect reduce complement.py --oracle assertion --arch gfx942 --flydsl" in head
    assert "python small.py" in head
    assert "Assertion" in head
    assert str(reduced.out.parent) not in text
    assert str(Path.home()) not in text


def test_again_costs_no_trial_but_the_cold_one(reduced: Reduced) -> None:
    workdir = str(Path(reduced.data["session"]).parent.parent)
    ran = subprocess.run([*reduced.command, "--workdir", workdir], capture_output=True, timeout=100)
    again = json.loads(ran.stdout)
    assert again["compiles"] == 1
    assert again["cache_hits"] + again["rejected_statically"] == again["candidates"]
    same = ("statements_after", "bytes_after", "signature", "also_seen", "minimal")
    assert {key: reduced.data[key] for key in same} == {key: again[key] for key in same}


def test_result_passes_its_own_check(run: Run, reduced: Reduced, workdir: Path) -> None:
    words = ("--oracle", "assertion", "--arch", "gfx942", "--workdir", workdir)
    assert run("check", reduced.out, *words, "--signature", reduced.data["signature"]).code == 0


def test_interrupted_and_gone_on_with(reduced: Reduced, tmp_path: Path) -> None:
    out = tmp_path / "small.py"
    command = [*FLYBISECT, "reduce", str(reduced.script), *QUICK, "-o", str(out)]
    command += ["--workdir", str(tmp_path / "w")]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    best = _wait_for(lambda: next(iter((tmp_path / "w").glob("sessions/*/best.py")), None))
    second = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert second.returncode == 2
    assert f"another run (process {first.pid}) is at work" in second.stderr
    workers = _children_of(first.pid)
    first.send_signal(signal.SIGINT)
    said, told = first.communicate(timeout=60)
    assert first.returncode == 130, told
    assert said == ""
    assert not out.exists()
    assert str(best) in told
    assert shlex.join(["flybisect", *command[len(FLYBISECT) :]]) in told
    ast.parse(best.read_text())
    assert workers
    assert not [pid for pid in workers if Path("/proc", pid).exists()]
    on = subprocess.run(command, capture_output=True, text=True, timeout=150)
    assert on.returncode == 0, on.stderr
    assert out.read_text() == reduced.out.read_text()


def _wait_for(look: Callable[[], Path | None]) -> Path:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found = look()
        if found is not None:
            time.sleep(0.5)
            return found
        time.sleep(0.05)
    raise AssertionError("the search did not begin")


def _children_of(pid: int) -> list[str]:
    """Processes that it started, by their numbers."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(stat.parent.name)
    return found


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_closed_pipe_is_quiet(unbuffered: str) -> None:
    read, write = os.pipe()
    os.close(read)
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    ran = subprocess.run(
        [*FLYBISECT, "passes"], stdout=write, stderr=subprocess.PIPE, text=True, env=environment
    )
    os.close(write)
    assert ran.stderr == ""


def test_full_disk_loses_nothing(
    run: Run, script: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fills when the first better script is written."""
    written: list[str] = []

    def save(self: Session, source: str) -> None:
        if written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.best_path))
        written.append(source)
        write_text(self.best_path, source)

    monkeypatch.setattr(Session, "save_best", save)
    path = script("complement.py")
    ran = run("reduce", path, *QUICK, "--workdir", tmp_path / "w", "-q")
    assert ran.code == 2
    hint, command, sentence = ran.err.splitlines()
    assert hint.startswith("the best script so far, 19 statements: ")
    assert command.endswith("-q")
    assert sentence.startswith("flybisect: ")
    assert "No space left on device" in sentence
    assert path.read_bytes() == SCRIPT.read_bytes()
    (best,) = (tmp_path / "w").glob("sessions/*/best.py")
    assert best.read_bytes() == SCRIPT.read_bytes()
