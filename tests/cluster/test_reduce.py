"""Whole reductions by `flybisect reduce --scheduler`, a worker killed in the middle of each."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.cluster import Cluster

SEED = Path(__file__).parents[2] / "seeds" / "buffer_copy"
SECONDS = 900.0


def reduced(folder: Path, *words: str) -> subprocess.Popen[str]:
    folder.mkdir()
    command = ["reduce", str(SEED), "--output", str(folder / "min.py"), "--workdir", str(folder / "w")]
    return subprocess.Popen(
        [sys.executable, "-m", "flybisect", *command, "--json", "--quiet", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def result(process: subprocess.Popen[str], folder: Path) -> tuple[dict[str, Any], str]:
    """What was printed, and the script without the comment at its head, which holds the command."""
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    script = (folder / "min.py").read_text()
    return json.loads(out), script[script.index("import ") :]


def observations(folder: Path) -> int:
    for journal in (folder / "w").glob("sessions/*/journal.sqlite3"):
        with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as db:
            try:
                return int(db.execute("SELECT count(*) FROM observations").fetchone()[0])
            except sqlite3.OperationalError:
                return 0
    return 0


def same_with_a_worker_killed(two: Cluster, folder: Path, *words: str) -> None:
    elsewhere = reduced(folder / "cluster", "--scheduler", two.address, *words)
    end = time.monotonic() + SECONDS
    while observations(folder / "cluster") < 6 and elsewhere.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.02)
    two.kill_one()
    assert elsewhere.poll() is None, "it was over before a worker could be killed"
    data, script = result(elsewhere, folder / "cluster")
    two.add()
    assert data["verified_cold"]
    here = reduced(folder / "here", "--jobs", "1", *words)
    alone, same = result(here, folder / "here")
    assert script == same
    assert data["signature"] == alone["signature"]


@pytest.mark.timeout(600)
def test_some_passes(two: Cluster, tmp_path: Path) -> None:
    same_with_a_worker_killed(two, tmp_path, "--passes", "unexecuted,noise,host")


@pytest.mark.slow
@pytest.mark.timeout(2400)
def test_the_whole_reduction(two: Cluster, tmp_path: Path) -> None:
    same_with_a_worker_killed(two, tmp_path, "--jobs", "2")
    script = result(reduced(tmp_path / "two", "--jobs", "2"), tmp_path / "two")[1]
    whole = (tmp_path / "here" / "min.py").read_text()
    assert script == whole[whole.index("import ") :]
