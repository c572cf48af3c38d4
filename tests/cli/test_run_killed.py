"""`flybisect run`, killed in two of its steps, against one that nobody disturbed."""

from __future__ import annotations

import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flybisect.session.parts import Part
from tests.releases import sharing_releases

ROOT = Path(__file__).parents[2]
SEED = ROOT / "seeds" / "buffer_copy" / "gemm_vgpr_compare.py"
PATIENCE = 300.0
COST = re.compile(r"\d+ compiles in [^\n]*")
"""What depends on how often it was killed."""


@pytest.mark.release
@pytest.mark.timeout(900)
@pytest.mark.slow
def test_a_run_that_is_killed_half_way_ends_with_the_same_report(tmp_path: Path) -> None:
    script = Path(shutil.copy(SEED, tmp_path / "gemm.py"))
    undisturbed, killed = (sharing_releases(tmp_path / name) for name in ("undisturbed", "killed"))
    expected = _finished(_command(script, undisturbed))
    before = 0
    for reached in (_tried(2), _done("reduce")):
        _kill_when(_command(script, killed), reached, killed)
        count = _observations(killed)
        assert count >= before
        assert not list(killed.glob("sessions/*/*.damaged-*"))
        before = count
    found = _finished([sys.executable, "-m", "flybisect", "resume", "--workdir", str(killed)])
    reports = [COST.sub("", Path(each["report"]).read_text()) for each in (found, expected)]
    assert reports[0] == reports[1]
    for name in ("releases", "matrix", "steps"):
        assert _steady(found[name]) == _steady(expected[name])
    texts = [Path(each["reduction"]["output"]).read_text() for each in (found, expected)]
    assert texts[0] == texts[1]
    assert _observations(killed) == _observations(undisturbed)


def _command(script: Path, workdir: Path) -> list[str]:
    oracle = ("--oracle", "vgprs", "--when", "vgprs > 27", "--arch", "gfx942", "--flydsl", "0.3.1")
    more = ("--releases", "0.3.0..0.3.1", "--passes", "comments", "--jobs", "1", "--json")
    words = [*oracle, *more, "--workdir", str(workdir), "--", "gemm"]
    return [sys.executable, "-m", "flybisect", "run", str(script), *words]


def _finished(command: list[str]) -> Any:
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _kill_when(command: list[str], reached: Callable[[Path], bool], workdir: Path) -> None:
    """It must not have ended by itself."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT) as process:
        deadline = time.monotonic() + PATIENCE
        while not reached(workdir):
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL


def _tried(count: int) -> Callable[[Path], bool]:
    return lambda workdir: _observations(workdir) >= count


def _done(step: str) -> Callable[[Path], bool]:
    return lambda workdir: any(f'"{step}"' in text for text in _texts(workdir, Part.STEPS))


def _texts(workdir: Path, part: Part) -> list[str]:
    return [path.read_text() for path in workdir.glob(f"sessions/*/{part.value}")]


def _observations(workdir: Path) -> int:
    """In the journals of all sessions."""
    total = 0
    for journal in workdir.glob("sessions/*/journal.sqlite3"):
        db = sqlite3.connect(journal)
        try:
            total += int(db.execute("SELECT count(*) FROM observations").fetchone()[0])
        except sqlite3.OperationalError:
            pass  # before its tables are made
        finally:
            db.close()
    return total


def _steady(data: Any) -> Any:
    """Without what a clock says."""
    if isinstance(data, dict):
        return {key: _steady(value) for key, value in data.items() if key != "seconds"}
    return [_steady(each) for each in data] if isinstance(data, list) else data
