"""How a reduction grows with its script, and what a second trial at a time saves.

The scripts are generated (`generated.py`): one bug, and more and more statements around it and in its kernel,
all of which run. The figure is the exponent e of compiles ~ statements^e, by least squares over logarithms.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from flybisect.case.case import Case
from flybisect.toolchain.store import silent
from flybisect.workflows.prepare import prepare
from tests.bench.generated import Bug, script
from tests.bench.reduction import reduce
from tests.bench.report import SCRATCH, Cell, Report, Table, tell

SUMMARY = "how compiles grow with the script, and what --jobs 2 saves"
ARCH = "gfx942"
COLUMNS = ("bug", "statements", "left", "compiles", "candidates", "seconds", "jobs", "minimal")


@dataclass(frozen=True)
class Measured:
    bug: Bug
    jobs: int
    before: int
    after: int
    compiles: int
    candidates: int
    seconds: float
    minimal: bool

    def row(self) -> list[Cell]:
        size: list[Cell] = [self.bug.value, self.before, self.after]
        return [*size, self.compiles, self.candidates, self.seconds, self.jobs, self.minimal]


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 200, 500, 1000, 2000])
    parser.add_argument("--bugs", nargs="+", default=[bug.value for bug in Bug])
    parser.add_argument("--parallel", type=int, nargs="*", default=[500], help="sizes for --jobs 2, too")
    parser.add_argument("--seed", type=int, default=0)


def measure(args: argparse.Namespace) -> Report:
    bugs = [Bug(name) for name in args.bugs]
    alone = [_reduced(bug, size, 1, args.seed) for bug in bugs for size in args.sizes]
    both = [_reduced(bug, size, 2, args.seed) for bug in bugs for size in args.parallel if size in args.sizes]
    notes = [_growth(bug, [each for each in alone if each.bug is bug]) for bug in bugs]
    notes += [_speedup(each, alone) for each in both]
    rows = [each.row() for each in [*alone, *both]]
    table = Table("Generated scripts", COLUMNS, rows, tuple(notes))
    return Report(
        "scaling", (table,), {"columns": COLUMNS, "rows": rows, "figures": notes, "seed": args.seed}
    )


def _reduced(bug: Bug, size: int, jobs: int, seed: int) -> Measured:
    with TemporaryDirectory(prefix="flybisect-bench-") as folder:
        path = Path(folder) / "generated.py"
        path.write_text(script(size, bug, seed))
        bench = prepare(
            Case(path, arch=ARCH, flydsl="installed", oracle=bug.value, workdir=SCRATCH, jobs=jobs),
            silent,
        )
        found = reduce(bench).result.to_dict()
    tell(f"{bug.value}, {size} statements, --jobs {jobs}: {found['compiles']} compiles, {found['seconds']} s")
    return Measured(
        bug,
        jobs,
        found["statements_before"],
        found["statements_after"],
        found["compiles"],
        found["candidates"],
        float(found["seconds"]),
        found["minimal"],
    )


def _growth(bug: Bug, found: Sequence[Measured]) -> str:
    if len(found) < 2:
        return f"{bug.value}: one size tells no growth."
    compiles = exponent([(each.before, each.compiles) for each in found])
    seconds = exponent([(each.before, each.seconds) for each in found])
    return f"{bug.value}: compiles grow as n^{compiles:.2f}, seconds as n^{seconds:.2f}."


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the line through the logarithms that errs least."""
    xs, ys = ([math.log(point[at]) for point in points] for at in (0, 1))
    middle_x, middle_y = mean(xs), mean(ys)
    across = sum((x - middle_x) ** 2 for x in xs)
    return sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True)) / across


def _speedup(both: Measured, alone: Sequence[Measured]) -> str:
    one = next(each for each in alone if (each.bug, each.before) == (both.bug, both.before))
    times, more = one.seconds / both.seconds, both.compiles / one.compiles
    return (
        f"{both.bug.value}, {both.before} statements: --jobs 2 is {times:.2f} times as quick as --jobs 1, "
        f"with {more:.2f} times the compiles."
    )
