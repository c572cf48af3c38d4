"""Many trials in a row: memory of the tool and of its worker, open files, and what is left on the disk.

python -m tests.soak.flat --trials 20000
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from flybisect.observation import Probe
from flybisect.probe.runner import Runner
from flybisect.session.journal import Journal
from flybisect.toolchain.installed import installed
from flybisect.toolchain.rocm import find_rocm
from tests.probe.processes import workers
from tests.probe.scripts import COPY, LEGALIZATION

SOURCES = (COPY, LEGALIZATION, "x = 1\n", "raise ValueError('x' * 1000)\n", "import os; os._exit(3)\n")
WARM = 0.1
"""Of the trials, those before the first sample."""
ALLOWED = 1.10


@dataclass(frozen=True)
class Sample:
    """Resident memory in KiB, and open files, of the tool and of its worker."""

    tool: int
    worker: int
    tool_files: int
    worker_files: int


@dataclass
class Tally:
    """What was seen, for people and for a test."""

    trials: int = 0
    seconds: float = 0.0
    samples: list[Sample] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        if len(self.samples) < 2:
            return ["too few trials to say anything"]
        first, last = self.samples[0], self.samples[-1]
        found = [f"left on the disk: {name}" for name in self.left]
        for name in ("tool", "worker", "tool_files", "worker_files"):
            before, after = getattr(first, name), getattr(last, name)
            if after > before * ALLOWED:
                found.append(f"{name} grew from {before} to {after}")
        return found


def soak(trials: int) -> Tally:
    tally = Tally()
    others = set(workers())
    with (
        tempfile.TemporaryDirectory(prefix="flybisect-soak-") as scratch,
        Runner(Path(scratch) / "trials", jobs=1) as runner,
    ):
        toolchain = installed(find_rocm(Path(scratch)))
        journal = Journal(Path(scratch) / "journal.sqlite3")
        began = time.monotonic()
        every = max(1, trials // 20)
        for number in range(1, trials + 1):
            source = SOURCES[number % len(SOURCES)] + f"# {number}\n"
            probe = Probe(source, "script.py", "gfx942")
            journal.record(toolchain, probe, runner.run(probe, toolchain))
            if number % every == 0 and number >= trials * WARM:
                (worker,) = set(workers()) - others
                tally.samples.append(_sample(worker))
                print(f"{number} trials: {tally.samples[-1]}", flush=True)
        tally.trials, tally.seconds = trials, time.monotonic() - began
        journal.close()
        tally.left = [str(path) for path in (Path(scratch) / "trials").glob("*/trial-*")]
    return tally


def _sample(worker: int) -> Sample:
    own = os.getpid()
    return Sample(_resident(own), _resident(worker), _files(own), _files(worker))


def _resident(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def _files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20_000)
    tally = soak(parser.parse_args().trials)
    print(f"{tally.trials} trials in {tally.seconds:.0f} s")
    for problem in tally.problems:
        print(f"PROBLEM: {problem}")
    sys.exit(bool(tally.problems))


if __name__ == "__main__":
    main()
