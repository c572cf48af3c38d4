"""The same scripts and the same judgement through other reducers, and through flybisect.

Each of them asks the judge that flybisect's reducer asks, in a warm worker, over a socket: what does not
parse, reads an unbound name or was seen before costs them no compile either. A tool that does not end is
stopped at `--calls` or `--seconds`, and its best so far is taken.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from flybisect.source.source import count_statements
from flybisect.workflows.prepare import PreparedCase
from tests.bench.others.installing import environment, install, version
from tests.bench.others.plausible import implausible
from tests.bench.others.running import Limits, Outcome, run
from tests.bench.others.tools import TOOLS
from tests.bench.reduction import bench_of, reduce
from tests.bench.report import ROOT, SCRATCH, Cell, Report, Table, tell

SUMMARY = "the same scripts and judgement through Shrink Ray, picire, Lithium, pysource-minimize, C-Vise"
CASES = tuple(
    Path(case)
    for case in (
        "seeds/buffer_copy",
        "tests/bench/scripts/spilling_filter.yaml",
        "tests/bench/scripts/tile_shapes.yaml",
    )
)
OURS = "flybisect"
COLUMNS = (
    "tool",
    "calls",
    "distinct",
    "run",
    "compiles",
    "seconds",
    "statements",
    "bytes",
    "plausible",
    "ended",
)
NOTES = (
    "`calls` are candidates that the tool asked about, `distinct` those with different texts, `run` those "
    "that had to be run: a look at the text, or an equal one before, did not answer them.",
)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("cases", nargs="*", type=Path, default=CASES, help="cases of the repository")
    parser.add_argument("--calls", type=int, default=2000, help="after which a tool is stopped")
    parser.add_argument("--seconds", type=float, default=1200, help="after which a tool is stopped")
    parser.add_argument("--python", default=sys.executable, help="for the tools; Shrink Ray needs 3.12")
    parser.add_argument("--tools", help="only those whose names hold one of these, by commas")


def measure(args: argparse.Namespace) -> Report:
    bin = environment(SCRATCH / "others", args.python)
    chosen = [tool for tool in TOOLS if _is_chosen(tool.name, args.tools)]
    missing = {tool.name: why for tool in chosen if (why := install(tool, bin)) is not None}
    tables, data = [], []
    for case in args.cases:
        bench = bench_of(ROOT / case)
        found = {f"{OURS}": _ours(bench)}
        for tool in chosen:
            if tool.name not in missing:
                folder = SCRATCH / "runs" / tool.name.split()[0]
                limits = Limits(args.calls, args.seconds)
                named = f"{tool.name} {version(tool)}"
                found[named] = run(tool, bench, bin, folder, limits)
                tell(f"{case}: {named}: {found[named].calls} calls, {found[named].seconds} s")
        judged = {name: implausible(each.text, bench.source) for name, each in found.items()}
        tables.append(_table(str(case), bench, found, judged, missing))
        data.append({**_data(str(case), bench, found, judged), "limits": [args.calls, args.seconds]})
    return Report("peers", tuple(tables), {"missing": missing, "cases": data})


def _is_chosen(name: str, wanted: str | None) -> bool:
    return wanted is None or any(each.lower() in name.lower() for each in wanted.split(","))


def _ours(bench: PreparedCase) -> Outcome:
    found = reduce(bench)
    counts = found.result.counts
    asked = counts.candidates - counts.rejected_statically - counts.cache_hits
    return Outcome(
        calls=counts.candidates,
        distinct=counts.candidates - counts.cache_hits,
        rejected=counts.rejected_statically,
        trials=asked,
        compiles=counts.compiles,
        seconds=round(counts.seconds, 1),
        text=found.result.reduced,
        ended="by itself" + (", 1-minimal" if found.result.minimal else ""),
        way=tuple(found.recording.way),
    )


def _table(
    case: str,
    bench: PreparedCase,
    found: dict[str, Outcome],
    judged: dict[str, list[str]],
    missing: dict[str, str],
) -> Table:
    rows: list[list[Cell]] = [
        [
            name,
            each.calls,
            each.distinct,
            each.trials,
            each.compiles,
            each.seconds,
            count_statements(each.text),
            len(each.text.encode()),
            not judged[name],
            each.ended,
        ]
        for name, each in found.items()
    ]
    size = f"{count_statements(bench.source)} statements, {len(bench.source.encode()):,} bytes"
    notes = [*NOTES, *compared(found, judged)]
    notes += [f"{name}: {'; '.join(signs)}." for name, signs in judged.items() if signs]
    notes += [f"{name} was left out: {why}" for name, why in missing.items()]
    return Table(f"{case} ({size})", COLUMNS, rows, tuple(notes))


def compared(found: dict[str, Outcome], judged: dict[str, list[str]]) -> list[str]:
    """Sentences: flybisect against the cheapest of the others that ends, with plausible code."""
    ours = found[OURS]
    left = count_statements(ours.text)
    smaller = [name for name in found if count_statements(found[name].text) < left]
    ends = [f"Fewer statements than flybisect's are left by {', '.join(smaller) or 'none'}."]
    ended = [name for name in found if name != OURS and "stopped" not in found[name].ended]
    others = [name for name in ended if not judged[name]]
    if not others:
        return ["None of the others ends with plausible code.", *ends]
    best = min(others, key=lambda name: found[name].calls)
    peer, size = found[best], count_statements(found[best].text)
    calls, runs = ours.calls / peer.calls, ours.trials / peer.trials
    told = (
        f"The cheapest that ends with plausible code is {best}: flybisect takes {calls:.2f} of its calls and "
        f"{runs:.2f} of its runs, and leaves {left} statements to its {size}."
    )
    there = next((stand for stand in ours.way if stand.statements <= size), None)
    if there is not None:
        told += f" It is at {size} or fewer after {there.calls} calls, {there.runs} of them run."
    return [told, *ends]


def _data(
    case: str, bench: PreparedCase, found: dict[str, Outcome], judged: dict[str, list[str]]
) -> dict[str, Any]:
    return {
        "case": case,
        "statements_before": count_statements(bench.source),
        "tools": {
            name: {**asdict(each), "statements": count_statements(each.text), "implausible": judged[name]}
            for name, each in found.items()
        },
    }
