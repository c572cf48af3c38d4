"""Reductions of real kernels at their real size, from FlyDSL and from projects that use it.

`suite.yaml` names them. They are fetched, or taken from clones that are given, and laid out in the scratch
folder, where what is left of each stays as `suite/NAME.min.py`, and its figures as `suite/NAME.json`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from flybisect.errors import UserError
from tests.bench.milestones import SHARES, compiles_until
from tests.bench.report import SCRATCH, Cell, Report, Table, shown, tell
from tests.bench.suite_cases import Kernel, kernels, lay_out
from tests.bench.suite_run import SuiteRun, run

SUMMARY = "reductions of real kernels at their real size"
FOLDER = SCRATCH / "suite"

COLUMNS = (
    "kernel",
    "statements",
    "compiles",
    "seconds",
    "left",
    "1-minimal",
    "by hand",
    "half",
    "quarter",
    "tenth",
    "figure",
    "difference left",
    "successes",
    "undone",
    "Python",
)
NOTES = (
    "`--jobs 1`. `half`, `quarter` and `tenth` are compiles until no more of the statements were left, in "
    "a script that was judged in full. `difference left` is that of the figure from the baseline's, or the "
    "figure itself where nothing is compared. `undone` are successes that were given up again, because the "
    "baseline had changed by then. `Python` is the share of the search's time outside of trials.",
)
CASE_COLUMNS = ("kernel", "from", "FlyDSL", "arch", "oracle", "compared with", "measured")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", action="append", metavar="NAME", help="a kernel of the suite; repeatable")
    parser.add_argument(
        *("--clone", "--clones"),
        action="append",
        default=[],
        metavar="DIR|URL",
        help="a clone that may have the commits; else they are fetched; repeatable",
    )
    parser.add_argument("--most-minutes", type=float, default=30, metavar="N", help="for each kernel")
    parser.add_argument(
        "--most-compiles", type=int, metavar="N", help="for each kernel; does not depend on the machine"
    )


def measure(args: argparse.Namespace) -> Report:
    chosen = _chosen(args.only)
    rows: list[Sequence[Cell]] = []
    data: list[dict[str, Any]] = []
    for kernel, row, each in _measured(chosen, args.clone, 60 * args.most_minutes, args.most_compiles):
        tell(" | ".join(map(shown, row)))
        (FOLDER / f"{kernel.name}.json").write_text(json.dumps(each, indent=2) + "\n")
        rows.append(row)
        data.append(each)
    compiles = "" if args.most_compiles is None else f" or {args.most_compiles} compiles"
    limit = f"Each was stopped after {args.most_minutes:g} minutes{compiles} where it had not ended."
    tables = (
        Table("Kernels of the suite", CASE_COLUMNS, [_described(kernel) for kernel in chosen]),
        Table("Reductions", COLUMNS, rows, (*NOTES, limit)),
    )
    return Report(
        "suite",
        tables,
        {"most_minutes": args.most_minutes, "most_compiles": args.most_compiles, "kernels": data},
    )


def _chosen(only: Sequence[str] | None) -> list[Kernel]:
    known = kernels()
    missing = set(only or ()) - {kernel.name for kernel in known}
    if missing:
        names = ", ".join(kernel.name for kernel in known)
        raise SystemExit(f"the suite has no {', '.join(sorted(missing))}; it has {names}")
    return [kernel for kernel in known if only is None or kernel.name in only]


def _measured(
    chosen: Sequence[Kernel], clones: Sequence[str], seconds: float, most_compiles: int | None
) -> Iterator[tuple[Kernel, Sequence[Cell], dict[str, Any]]]:
    for kernel in chosen:
        case = lay_out(kernel, clones, FOLDER / kernel.name, FOLDER / "clones")
        try:
            found = run(case, FOLDER / f"{kernel.name}.min.py", seconds, most_compiles)
        except UserError as error:
            tell(f"{kernel.name}: {error}")
            yield (
                kernel,
                [kernel.name, kernel.statements, *[None] * 13],
                {"kernel": kernel.name, "error": str(error)},
            )
        else:
            yield kernel, _row(kernel, found), _data(kernel, found)


def _row(kernel: Kernel, found: SuiteRun) -> list[Cell]:
    result = found.result.to_dict()
    return [
        kernel.name,
        result["statements_before"],
        found.compiles,
        found.seconds,
        result["statements_after"],
        result["minimal"],
        kernel.by_hand,
        *(compiles_until(found.course, share) for share in SHARES),
        kernel.figure,
        _left(kernel, found),
        found.successes.held,
        found.successes.undone,
        f"{100 * found.python:.0f} %",
    ]


def _left(kernel: Kernel, found: SuiteRun) -> Cell:
    if kernel.figure is None:
        return None
    first, left = found.difference(kernel.figure)
    return f"{first:g} → {left:g}"


def _described(kernel: Kernel) -> list[Cell]:
    case = kernel.case
    where = f"{Path(kernel.repository).name} {kernel.commit[:8]}, `{kernel.path}`"
    oracle = " ".join(str(case[key]) for key in ("oracle", "when") if key in case)
    against = ", ".join(f"{key} `{value}`" for key, value in case.get("against", {}).items())
    return [kernel.name, where, str(case["flydsl"]), case["arch"], oracle, against or None, kernel.measured]


def _data(kernel: Kernel, found: SuiteRun) -> dict[str, Any]:
    result = found.result.to_dict()
    kept = ("statements_before", "statements_after", "bytes_after", "minimal", "verified_cold", "metrics")
    more = ("replayed", "traced_only", "candidates", "rejected_statically", "cache_hits", "why")
    return {
        "kernel": kernel.name,
        **{key: result[key] for key in (*kept, *more)},
        "compiles": found.compiles,
        "seconds": round(found.seconds, 1),
        "python": round(found.python, 3),
        "python_cpu_seconds": round(found.own, 1),
        "stopped": found.stopped,
        "first": dict(found.first),
        "successes": asdict(found.successes),
        "until": {f"1/{share}": compiles_until(found.course, share) for share in SHARES},
        "course": [[point.compiles, point.left] for point in found.course],
    }
