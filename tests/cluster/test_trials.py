"""Trials on a real scheduler and real worker processes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from flybisect.cluster.client import SchedulerClient
from flybisect.cluster.prober import ClusterProber
from flybisect.errors import UserError
from flybisect.observation import Outcome, Probe
from flybisect.probe.process import TrialCancelled
from flybisect.toolchain.model import Toolchain
from tests.cluster.cluster import Cluster, cluster

SLEEPS = "import time\nprint('here', flush=True)\ntime.sleep(60)\n"
SECONDS = 60.0


@pytest.fixture
def prober(two: Cluster) -> Iterator[ClusterProber]:
    link = SchedulerClient(two.address)
    yield ClusterProber(link)
    link.close()


def test_a_script_and_what_lies_beside_it(
    prober: ClusterProber, toolchain: Toolchain, tmp_path: Path
) -> None:
    (tmp_path / "beside.py").write_text("VALUE = 7\n")
    probe = Probe("import beside\nraise SystemExit(beside.VALUE)\n", "kernel.py", "gfx942", folder=tmp_path)
    seen = prober.run(probe, toolchain)
    assert (seen.outcome, seen.exit_code) == (Outcome.EXIT, 7)
    assert prober.run_cold(probe, toolchain).exit_code == 7


def test_what_is_called_off_ends_at_once(prober: ClusterProber, toolchain: Toolchain) -> None:
    probe = Probe(SLEEPS, "kernel.py", "gfx942")
    prober.run(Probe("", "kernel.py", "gfx942"), toolchain)
    cancelled, ended = threading.Event(), []

    def run() -> None:
        try:
            prober.run(probe, toolchain, cancelled)
        except TrialCancelled:
            ended.append(time.monotonic())

    # More than there are workers: some run, some wait for a worker.
    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(2)
    began = time.monotonic()
    cancelled.set()
    for thread in threads:
        thread.join(SECONDS)
    assert len(ended) == 4
    assert max(ended) - began < 5
    # Both workers are free again: a trial of theirs would else have to wait for a minute.
    for _ in range(2):
        assert prober.run(Probe("", "kernel.py", "gfx942", timeout=30), toolchain).outcome is Outcome.OK
    assert time.monotonic() - began < 40


@pytest.mark.slow  # test_reduce.py does so in a reduction
def test_a_worker_that_is_killed_is_made_up_for(
    two: Cluster, prober: ClusterProber, toolchain: Toolchain
) -> None:
    probe = Probe("import time\ntime.sleep(4)\nraise SystemExit(3)\n", "kernel.py", "gfx942")
    prober.run(Probe("", "kernel.py", "gfx942"), toolchain)
    codes: list[int | None] = []
    threads = [
        threading.Thread(target=lambda: codes.append(prober.run(probe, toolchain).exit_code))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    time.sleep(2)
    two.kill_one()
    for thread in threads:
        thread.join(SECONDS)
    two.add()
    assert codes == [3, 3]


def test_other_files_under_the_same_version_are_refused(prober: ClusterProber, toolchain: Toolchain) -> None:
    with pytest.raises(UserError, match="is not the same here"):
        prober.run(Probe("", "kernel.py", "gfx942"), replace(toolchain, key="another"))
    nowhere = replace(toolchain, kind="overlay", key="a third", paths=(Path("/nowhere/to/be/seen"),))
    with pytest.raises(UserError, match="a file system that the workers share"):
        prober.run(Probe("", "kernel.py", "gfx942"), nowhere)


def test_a_cluster_that_is_gone_is_said_in_a_sentence(tmp_path: Path, toolchain: Toolchain) -> None:
    with cluster(tmp_path, workers=1) as small:
        link = SchedulerClient(small.address, patience=3)
        prober = ClusterProber(link)
        assert prober.run(Probe("", "kernel.py", "gfx942"), toolchain).outcome is Outcome.OK
        small.kill_one()
        with pytest.raises(UserError, match=r"has no worker any more; what was answered is kept"):
            prober.run(Probe(SLEEPS, "kernel.py", "gfx942"), toolchain)
        # As where it gives up to reach a scheduler.
        threading.Timer(1, link._client.close).start()
        with pytest.raises(UserError, match="cannot be reached any more"):
            prober.run(Probe(SLEEPS, "kernel.py", "gfx942"), toolchain)
        link.close()
        small.scheduler.kill()
        with pytest.raises(UserError, match="no Dask scheduler answers at"):
            SchedulerClient(small.address)


def test_without_distributed_it_says_what_to_install(tmp_path: Path) -> None:
    script = tmp_path / "kernel.py"
    script.write_text("pass\n")
    words = ["--oracle", "crash", "--arch", "gfx942", "--scheduler", "tcp://127.0.0.1:1"]
    words += ["--workdir", str(tmp_path / "w")]
    imports = "import sys; sys.modules['distributed'] = None; from flybisect.cli.main import main"
    code = f"{imports}; main(sys.argv[1:])"
    ran = subprocess.run(
        [sys.executable, "-c", code, "reduce", str(script), *words],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 2
    assert "pip install 'flybisect[cluster]'" in ran.stderr
    assert "Traceback" not in ran.stderr
