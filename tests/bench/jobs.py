"""What more than one trial at a time saves where a trial takes some seconds, as that of a large kernel does.

A case with quick trials is reduced, and each trial is held back until it has taken `--seconds`. What was seen
before is answered from memory, so that neither the cores of the machine nor the compiler have a part in the
figure: it is what the search makes of the jobs.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Hashable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.judge.judge import Judge
from flybisect.observation import Observation, Probe
from flybisect.probe.runner import Runner
from flybisect.reduce.passes import PASSES
from flybisect.session.session import open_session
from flybisect.source.source import count_statements
from flybisect.toolchain.model import Toolchain
from flybisect.workflows import reduce
from tests.bench.reduction import bench_of
from tests.bench.report import ROOT, Cell, Report, Table, tell

SUMMARY = "what --jobs saves where a trial takes seconds"
COLUMNS = ("jobs", "seconds", "times as quick", "trials", "called off", "in vain", "left")


@dataclass
class Paced:
    """A prober whose trials all take the same time."""

    runner: Runner
    seconds: float
    known: dict[Hashable, Observation]
    trials: int = 0
    called_off: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(
        self, probe: Probe, toolchain: Toolchain, cancelled: threading.Event | None = None
    ) -> Observation:
        ends = time.monotonic() + self.seconds
        key = (toolchain.key, probe.key())
        if key not in self.known:
            self.known[key] = self.runner.run(probe, toolchain)
        left = max(0.0, ends - time.monotonic())
        off = (cancelled or threading.Event()).wait(left)
        with self._lock:
            self.trials += 1
            self.called_off += off
        return replace(self.known[key], seconds=self.seconds)

    def run_cold(self, probe: Probe, toolchain: Toolchain) -> Observation:
        return self.run(probe, toolchain)


@dataclass(frozen=True)
class Measured:
    jobs: int
    seconds: float
    trials: int
    called_off: int
    left: int


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--case", type=Path, default=ROOT / "seeds" / "buffer_copy")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each trial")
    parser.add_argument("--jobs", type=int, nargs="+", default=[2, 4], help="beside one")


def measure(args: argparse.Namespace) -> Report:
    known: dict[Hashable, Observation] = {}
    _reduced(args.case, 1, 0.0, known)
    found = [_reduced(args.case, jobs, args.seconds, known) for jobs in (1, *args.jobs)]
    alone = found[0]
    rows: list[list[Cell]] = [
        [
            each.jobs,
            each.seconds,
            alone.seconds / each.seconds,
            each.trials,
            each.called_off,
            each.trials - alone.trials,
            each.left,
        ]
        for each in found
    ]
    case = args.case.resolve().relative_to(ROOT)
    notes = (f"Each trial takes {args.seconds:g} s. `in vain`: trials more than with one job.",)
    table = Table(str(case), COLUMNS, rows, notes)
    return Report(
        "jobs", (table,), {"case": str(case), "trial": args.seconds, "columns": COLUMNS, "rows": rows}
    )


def _reduced(case: Path, jobs: int, seconds: float, known: dict[Hashable, Observation]) -> Measured:
    bench = bench_of(case, jobs)
    with (
        TemporaryDirectory(prefix="flybisect-bench-") as folder,
        TemporaryDirectory(prefix="flybisect-bench-") as scratch,
        open_session(Path(folder), bench.case, bench.source, bench.toolchain_keys) as session,
        Runner(Path(scratch), 2, session.journal) as runner,
    ):
        paced = Paced(runner, seconds, known)
        judge = Judge(bench.case, bench.oracle, bench.subject, bench.base, paced, session.journal, jobs)
        began = time.monotonic()
        with closing(judge):
            reduce.pin(judge, bench.source, bench.case.script.name, ())
            found = reduce.search(judge, session, bench.source, PASSES, lambda step: None)
            out = Path(folder) / bench.case.script.name
            reduce.finish(judge, session, bench.source, found, out, lambda text, verdict, seen: text)
        took = time.monotonic() - began
    tell(f"--jobs {jobs}: {took:.1f} s")
    return Measured(jobs, round(took, 1), paced.trials, paced.called_off, count_statements(found.text))
