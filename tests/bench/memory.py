"""What memory a reduction takes: the process that was called, each of its warm workers, and each trial.

Looked at every tenth of a second from outside. A worker forks its trials, so that a page of torch's is in
each of them once and in memory once: "shared out" counts such a page in parts (PSS), "own" only what a
process has for itself. A bare process is `python` with torch and FlyDSL imported and the unreduced script
run: what the script takes without the tool.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.case.case import Case
from flybisect.toolchain.store import silent
from flybisect.workflows.prepare import prepare
from tests.bench.report import ROOT, SCRATCH, Cell, Report, Table

SUMMARY = "memory of a reduction's processes"
BARE = Path(__file__).with_name("bare.py")
EVERY = 0.1
"""Seconds between two looks."""
COLUMNS = ("process", "at once", "resident", "shared out", "own")
_FIELDS = {"resident": "Rss", "shared": "Pss", "own": "Private_Dirty"}


@dataclass
class Peak:
    """Of the processes of one kind, MiB, the largest that was seen of each figure."""

    count: int = 0
    figures: dict[str, float] = field(default_factory=dict)

    def take(self, seen: list[dict[str, float]]) -> None:
        self.count = max(self.count, len(seen))
        for one in seen:
            for name, figure in one.items():
                self.figures[name] = max(self.figures.get(name, 0.0), figure)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--case", type=Path, default=ROOT / "seeds" / "buffer_copy")
    parser.add_argument("--jobs", type=int, default=2)


def measure(args: argparse.Namespace) -> Report:
    bare = _bare(args.case)
    peaks = {kind: Peak() for kind in ("flybisect", "worker", "trial")}
    with TemporaryDirectory(prefix="flybisect-bench-") as folder:
        (Path(folder) / "toolchains").symlink_to(SCRATCH / "toolchains")
        command = [sys.executable, "-m", "flybisect", "reduce", str(args.case), "--json"]
        command += ["--jobs", str(args.jobs), "--workdir", folder]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
        ) as process:
            watch = threading.Thread(target=_watch, args=(process, peaks))
            watch.start()
            said, _ = process.communicate()
            watch.join()
    if process.returncode != 0:
        raise RuntimeError(f"the reduction of {args.case} ended with exit code {process.returncode}")
    found = json.loads(said)
    rows: list[list[Cell]] = [
        [kind, peak.count, *(round(peak.figures.get(name, 0.0)) for name in _FIELDS)]
        for kind, peak in peaks.items()
    ]
    rows.append(["bare process", 1, round(bare), None, None])
    beyond = peaks["worker"].figures.get("resident", 0.0) + peaks["trial"].figures.get("own", 0.0) - bare
    note = f"A worker with a trial, beyond the bare process: {beyond:.0f} MiB at most."
    table = Table(f"MiB, reducing {args.case.name} with --jobs {args.jobs}", COLUMNS, rows, (note,))
    data = {"rows": rows, "columns": COLUMNS, "beyond_mib": beyond, "compiles": found["compiles"]}
    return Report("memory", (table,), data)


def _bare(case: Path) -> float:
    """MiB that the unreduced script takes at its peak, run without the tool."""
    bench = prepare(Case(case, workdir=SCRATCH), silent)
    subject, path = bench.subject, bench.case.script
    settings = {
        "COMPILE_ONLY": "1",
        "FLYDSL_RUNTIME_ENABLE_CACHE": "0",
        "ARCH": subject.arch,
        "FLYDSL_GPU_ARCH": subject.arch,
        "PYTHONPATH": os.pathsep.join(str(each) for each in subject.toolchain.paths),
        "ROCM_PATH": str(subject.toolchain.rocm),
    }
    command = [str(subject.toolchain.python), str(BARE), "once", subject.arch, str(path), *subject.argv]
    # It shows a bug, so it may fail.
    with subprocess.Popen(
        command, env={**os.environ, **settings}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    return usage.ru_maxrss / 1024


def _watch(process: subprocess.Popen[bytes], peaks: dict[str, Peak]) -> None:
    wake = threading.Event()
    while process.poll() is None:
        for kind, pids in _by_kind(process.pid).items():
            peaks[kind].take([seen for pid in pids if (seen := _memory(pid)) is not None])
        wake.wait(EVERY)


def _by_kind(parent: int) -> dict[str, list[int]]:
    workers = [pid for pid in _children(parent) if "worker.py" in _command(pid)]
    trials = [pid for worker in workers for pid in _descendants(worker)]
    return {"flybisect": [parent], "worker": workers, "trial": trials}


def _descendants(pid: int) -> Iterator[int]:
    for child in _children(pid):
        yield child
        yield from _descendants(child)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, path.read_text().split())
        except OSError:
            continue
    return found


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def _memory(pid: int) -> dict[str, float] | None:
    """MiB; None of a process that is gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return None
    known = {
        name: int(figure) / 1024 for name, figure in re.findall(r"^(\w+):\s+(\d+) kB", text, re.MULTILINE)
    }
    return {name: known[kept] for name, kept in _FIELDS.items()} if "Rss" in known else None
