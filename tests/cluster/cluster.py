"""A Dask cluster of this machine: a scheduler and workers, each a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECONDS = 90.0
"""In which a process of it has to be there; the machine may be busy."""


@dataclass
class Cluster:
    """To be stopped."""

    folder: Path
    scheduler: subprocess.Popen[bytes]
    address: str
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    preload: str | None = None
    """A module that workers import first."""

    def add(self) -> subprocess.Popen[bytes]:
        """One more worker of one thread, and no nanny: killed is killed."""
        name = f"worker-{len(self.workers)}"
        process = _started(
            self.folder / f"{name}.log",
            "dask_worker",
            self.address,
            *("--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", name),
            *("--local-directory", str(self.folder)),
            *(("--preload", self.preload) if self.preload is not None else ()),
        )
        self.workers.append(process)
        _seen(self.folder / f"{name}.log", r"Registered to", process)
        return process

    def kill_one(self) -> None:
        """One that lives, without a chance to say good-bye."""
        victim = next(process for process in self.workers if process.poll() is None)
        victim.kill()
        victim.wait()

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.terminate()
        for process in (*self.workers, self.scheduler):
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def cluster(folder: Path, workers: int, preload: str | None = None) -> Iterator[Cluster]:
    """A scheduler with so many workers, gone at the end."""
    log = folder / "scheduler.log"
    scheduler = _started(log, "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    made = Cluster(folder, scheduler, "", preload=preload)
    try:
        made.address = _seen(log, r"Scheduler at:\s+(tcp://\S+)", scheduler)
        for _ in range(workers):
            made.add()
        yield made
    finally:
        made.stop()


def _started(log: Path, module: str, *arguments: str) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", *arguments],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            start_new_session=True,
        )


def _seen(log: Path, pattern: str, process: subprocess.Popen[bytes]) -> str:
    """The first group of the pattern, once the process has said it."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        found = re.search(pattern, log.read_text())
        if found is not None:
            return found[found.re.groups]
        time.sleep(0.05)
    raise AssertionError(f"{pattern} was not said: {log.read_text()}")
