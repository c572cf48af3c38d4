"""What reductions cost: the seeds, and five small cases of public kinds of failure (`scripts/`).

Every case starts from nothing: no journal, no memory. `traced` is the share of trials for candidates that
handed a module to the compiler; `repeated` are those that compiled what had been compiled before, by text,
by syntax tree and by traced IR.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.bench.recording import PassCost
from tests.bench.reduction import Reduced, bench_of, reduce
from tests.bench.report import ROOT, Cell, Report, Table, shown, tell

SUMMARY = "what reductions cost: compiles, candidates, how many trace, what repeats"
SCRIPTS = Path("tests/bench/scripts")
SMALL = tuple(
    SCRIPTS / f"{name}.yaml"
    for name in ("spilling_filter", "lds_histogram", "tile_shapes", "wide_mixer", "bf16_tile")
)
SEEDS = (Path("seeds/buffer_copy"), Path("seeds/buffer_copy/assertion.case.yaml"))
LARGE = Path("seeds/recast_iter")
WASTEFUL = 12
"""Passes that are listed: those with the most trials that brought nothing."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "cases", nargs="*", type=Path, default=[*SEEDS, *SMALL], help="cases of the repository"
    )
    parser.add_argument("--jobs", type=int, default=1)


def measure(args: argparse.Namespace) -> Report:
    return reductions("reductions", args.cases, args.jobs)


def reductions(name: str, cases: Sequence[Path], jobs: int) -> Report:
    """Of cases of the repository; `name` is the bench's."""
    found = []
    for case in cases:
        found.append((str(case), reduce(bench_of(ROOT / case, jobs))))
        tell(" | ".join(map(shown, _row(*found[-1]))))
    rows = [_row(name, each) for name, each in found]
    passes = _summed(each.recording.by_pass() for _, each in found)
    tables = (
        Table("Reductions", COLUMNS, rows, (f"`--jobs {jobs}`.", *NOTES)),
        Table("Passes whose trials brought least, all cases together", PASS_COLUMNS, _wasteful(passes)),
    )
    data = {
        "jobs": jobs,
        "cases": [_data(name, each) for name, each in found],
        "passes": {name: asdict(cost) for name, cost in passes.items()},
    }
    return Report(name, tables, data)


COLUMNS = (
    "case",
    "statements",
    "compiles",
    "known IR",
    "candidates",
    "run",
    "reached FlyDSL",
    "traced",
    "traced of those",
    "repeated text / tree / IR",
    "seconds",
    "minimal",
    "cold run",
)
NOTES = (
    "A compile is a trial that reached FlyDSL, those of what a case is compared with, of learning, of "
    "looking again and of the cold run included; `known IR` are trials that traced what had been compiled "
    "before, and were not compiled again. `run` are trials for candidates; `traced` are those of them that "
    "got to the compiler, without a figure where the bug itself shows while the script is traced.",
)
PASS_COLUMNS = ("pass", "asked", "held", "trials", "compiles", "trials for one that held", "not traced")


def _row(name: str, each: Reduced) -> list[Cell]:
    result = each.result.to_dict()
    repeats = each.recording.repeats()
    return [
        name.removeprefix(f"{SCRIPTS}/"),
        f"{result['statements_before']} → {result['statements_after']}",
        result["compiles"],
        result["replayed"],
        result["candidates"],
        *_traced(each),
        f"{repeats.text} / {repeats.tree} / {repeats.ir}",
        float(result["seconds"]),
        result["minimal"],
        result["verified_cold"],
    ]


def _traced(each: Reduced) -> list[Cell]:
    """Trials for candidates, how many reached FlyDSL, how many traced, and their share of the former; the
    last two are None where the unreduced script itself ends while it is traced."""
    trials = each.recording.searched()
    reached = sum(trial.seen.reached_flydsl for trial in trials)
    if not each.shows_traced or not reached:
        return [len(trials), reached, None, None]
    traced = sum(trial.traced for trial in trials)
    return [len(trials), reached, traced, f"{100 * traced / reached:.0f} %"]


def _data(name: str, each: Reduced) -> dict[str, Any]:
    kept = ("statements_before", "statements_after", "bytes_after", "compiles", "candidates")
    more = (
        "replayed",
        "traced_only",
        "repeated_compiles",
        "rejected_statically",
        "cache_hits",
        "seconds",
        "minimal",
        "verified_cold",
        "metrics",
    )
    result = each.result.to_dict()
    return {
        "case": name,
        **{key: result[key] for key in (*kept, *more)},
        **dict(zip(("trials", "reached", "traced"), _traced(each), strict=False)),
        "untraced": each.recording.untraced(),
        "repeats": asdict(each.recording.repeats()),
        "passes": {key: asdict(cost) for key, cost in each.recording.by_pass().items()},
    }


def _summed(every: Any) -> dict[str, PassCost]:
    total: dict[str, PassCost] = {}
    for costs in every:
        for name, cost in costs.items():
            so_far = total.setdefault(name, PassCost())
            so_far.asked += cost.asked
            so_far.held += cost.held
            so_far.trials += cost.trials
            so_far.compiles += cost.compiles
            so_far.not_traced += cost.not_traced
    return total


def _wasteful(costs: dict[str, PassCost]) -> list[list[Cell]]:
    ranked = sorted(costs.items(), key=lambda item: item[1].held - item[1].trials)
    return [
        [
            name,
            cost.asked,
            cost.held,
            cost.trials,
            cost.compiles,
            cost.trials / cost.held if cost.held else None,
            cost.not_traced,
        ]
        for name, cost in ranked[:WASTEFUL]
    ]
