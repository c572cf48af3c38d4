"""What one compile costs: a warm probe against `python script.py`, with and without FlyDSL's IR dump.

All ways are taken in turn, as often as `--runs` says, and the median counts. Wall seconds depend on what else
the machine does; CPU seconds, of the script's process and all that it starts, hardly. The probe's are all
that the trial, its worker and this process took.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from flybisect.observation import Outcome, Probe
from flybisect.probe.remembering import PackedEntry
from flybisect.probe.runner import Runner
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.store import silent
from flybisect.toolchain.toolchains import Toolchains
from tests.bench.report import ROOT, SCRATCH, Cell, Report, Table

SUMMARY = "what a warm probe costs, against python script.py"
BARE = Path(__file__).with_name("bare.py")
PATIENCE = 600.0

COLUMNS = (
    "script",
    "FlyDSL",
    "cold",
    "cold, IR dump",
    "bare",
    "probe",
    "known IR",
    "probe / cold",
    "probe / dump",
    "over bare",
)


@dataclass(frozen=True)
class Script:
    path: Path
    argv: tuple[str, ...]
    arch: str


SCRIPTS = {
    "small GEMM": Script(ROOT / "seeds/buffer_copy/gemm_vgpr_compare.py", ("gemm",), "gfx942"),
    "SWA": Script(ROOT / "seeds/recast_iter/kernel_swa_repro.py", (), "gfx950"),
}


@dataclass(frozen=True)
class Cost:
    """Seconds."""

    wall: float
    cpu: float


Way = Callable[[], Cost]


class Kept:
    """Keeps nothing beyond the process."""

    def kept(self, toolchain_key: str) -> tuple[PackedEntry, ...]:
        return ()

    def keep(self, toolchain_key: str, entry: PackedEntry) -> None:
        return None


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--releases", nargs="+", default=["0.3.0", "installed"])
    parser.add_argument("--scripts", nargs="+", default=list(SCRIPTS), choices=list(SCRIPTS))


def measure(args: argparse.Namespace) -> Report:
    toolchains = Toolchains(SCRATCH, silent)
    found: dict[tuple[str, str], dict[str, list[Cost]]] = {}
    for release in args.releases:
        toolchain = toolchains.get(release)
        for name in args.scripts:
            with ways(SCRIPTS[name], toolchain) as named:
                found[name, toolchain.version] = _in_turn(named, args.runs)
    tables = tuple(_table(kind, found) for kind in ("wall", "cpu"))
    data = [
        {"script": name, "flydsl": version, "way": way, "wall": cost.wall, "cpu": cost.cpu}
        for (name, version), costs in found.items()
        for way, each in costs.items()
        for cost in each
    ]
    return Report("probe", tables, {"runs": args.runs, "costs": data})


def _in_turn(named: dict[str, Way], runs: int) -> dict[str, list[Cost]]:
    for way in named.values():
        way()  # what is slow the first time only
    costs: dict[str, list[Cost]] = {name: [] for name in named}
    for _ in range(runs):
        for name, way in named.items():
            costs[name].append(way())
    return costs


def _table(kind: str, found: dict[tuple[str, str], dict[str, list[Cost]]]) -> Table:
    rows: list[list[Cell]] = []
    for (name, version), costs in found.items():
        of = {way: median(getattr(cost, kind) for cost in each) for way, each in costs.items()}
        ratios: list[Cell] = [f"{of['probe'] / of[way]:.3f}" for way in ("cold", "dump")]
        over = f"{of['probe'] / of['bare'] - 1:+.0%}"
        figures: list[Cell] = [f"{of[way]:.2f}" for way in ("cold", "dump", "bare", "probe", "known")]
        rows.append([name, version, *figures, *ratios, over])
    return Table(f"{'Wall' if kind == 'wall' else 'CPU'} seconds of one compile", COLUMNS, rows, _NOTES)


_NOTES = (
    "Cold: a new process each time, `FLYDSL_DUMP_IR=1` in the second case. Bare: forked from a process that "
    "has imported all, tracing and compiling and nothing else. Known IR: a probe of IR compiled before.",
)


@contextmanager
def ways(script: Script, toolchain: Toolchain) -> Iterator[dict[str, Way]]:
    """The ways of compiling it, by their names."""
    with (
        TemporaryDirectory(prefix="flybisect-bench-") as folder,
        Runner(Path(folder) / "trials", 1, Kept()) as runner,
        _serving(toolchain, folder) as forking,
    ):
        environment = _environment(toolchain, folder)
        yield {
            "cold": lambda: _cold(script, toolchain, environment),
            "dump": lambda: _cold(script, toolchain, environment | {"FLYDSL_DUMP_IR": "1"}),
            "bare": lambda: _bare(script, forking),
            "probe": lambda: _probe(script, toolchain, runner, anew=True),
            "known": lambda: _probe(script, toolchain, runner, anew=False),
        }


def _environment(toolchain: Toolchain, folder: str) -> dict[str, str]:
    settings = {
        "COMPILE_ONLY": "1",
        "FLYDSL_RUNTIME_ENABLE_CACHE": "0",
        "FLYDSL_DUMP_DIR": f"{folder}/dump",
        "PYTHONPATH": os.pathsep.join(str(path) for path in toolchain.paths),
        "OMP_NUM_THREADS": "1",
    }
    if toolchain.rocm is not None:
        settings["ROCM_PATH"] = str(toolchain.rocm)
    return {"PATH": os.environ["PATH"], "HOME": folder} | settings


def _cold(script: Script, toolchain: Toolchain, environment: dict[str, str]) -> Cost:
    command = [str(toolchain.python), str(BARE), "once", script.arch, str(script.path), *script.argv]
    arch = {"ARCH": script.arch, "FLYDSL_GPU_ARCH": script.arch}
    before, began = _children(), time.monotonic()
    subprocess.run(
        command, env=environment | arch, check=True, capture_output=True, timeout=PATIENCE, text=True
    )
    return Cost(time.monotonic() - began, _children() - before)


@contextmanager
def _serving(toolchain: Toolchain, folder: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [str(toolchain.python), str(BARE), "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(toolchain, folder),
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def _bare(script: Script, process: subprocess.Popen[str]) -> Cost:
    assert process.stdin is not None and process.stdout is not None
    print(
        json.dumps({"arch": script.arch, "argv": [str(script.path), *script.argv]}),
        file=process.stdin,
        flush=True,
    )
    answer = json.loads(process.stdout.readline())
    if answer["code"] != 0:
        raise RuntimeError(f"{script.path.name} failed without the tool")
    return Cost(answer["wall"], answer["cpu"])


def _probe(script: Script, toolchain: Toolchain, runner: Runner, *, anew: bool) -> Cost:
    probe = Probe(
        source=script.path.read_text(),
        name=script.path.name,
        arch=script.arch,
        argv=script.argv,
        folder=script.path.parent,
        timeout=PATIENCE,
        anew=anew,
    )
    before, began = _workers() + time.process_time(), time.monotonic()
    seen = runner.run(probe, toolchain)
    wall = time.monotonic() - began
    if seen.outcome is not Outcome.OK:
        raise RuntimeError(f"{script.path.name} failed: {seen.stderr}")
    return Cost(wall, _workers() + time.process_time() - before + seen.cpu_seconds)


def _children() -> float:
    """CPU seconds of processes that this one has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _workers() -> float:
    """CPU seconds of the processes that this one has started, without what those have."""
    total = 0.0
    for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        total += int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    return total
