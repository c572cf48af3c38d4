"""Bisection on FlyDSL's own history: tests, overlays and builds, against `git bisect run`.

Both get the same range and the same judgement. git's test is what a person would write: the commit's Python
over the natives of the newer end's release, then `flybisect check`, and 125 where that can't be judged.
Needs a clone of FlyDSL (`--repo`), and fetches the releases of the ranges into `--workdir`.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flybisect.toolchain.store import silent
from flybisect.toolchain.toolchains import Toolchains
from tests.bench.report import ROOT, SCRATCH, Cell, Report, Table

SUMMARY = "bisection on FlyDSL's history, against git bisect run"
SCRIPTS = "tests/bench/scripts"
COLUMNS = (
    "range",
    "case",
    "commits",
    "tool",
    "tests",
    "between the ends",
    "put together",
    "skipped",
    "seconds",
    "answer",
    "known for sure",
)


@dataclass(frozen=True)
class Search:
    older: str
    """A release; its tag has a `v` before it."""
    newer: str
    case: str
    bug_first: bool
    """The older end shows the bug, so what is looked for is its repair."""
    culprit: str
    """By the commits' own messages."""


SEARCHES = (
    Search("0.1.8", "0.2.0", f"{SCRIPTS}/gemm_vgprs.yaml", False, "250c11df"),
    Search("0.2.2", "0.2.3", f"{SCRIPTS}/carried_vector.yaml", True, "3552f11d"),
    Search("0.2.2", "0.2.3", f"{SCRIPTS}/bf16_tile.yaml", True, "653c7bf6"),
)


@dataclass(frozen=True)
class Answer:
    commits: int
    tests: int
    between: int
    """Of these, tests of commits between the two ends."""
    made: int
    """FlyDSLs that had to be put together or built for it; releases are not."""
    skipped: int
    seconds: float
    suspects: tuple[str, ...]
    sure: bool


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", type=Path, required=True, help="a clone of FlyDSL; it is only read")
    parser.add_argument("--workdir", type=Path, default=SCRATCH, help="where releases are, or go to")


def measure(args: argparse.Namespace) -> Report:
    rows: list[list[Cell]] = []
    data: list[dict[str, Any]] = []
    for search in SEARCHES:
        found = {
            "flybisect": by_flybisect(search, args.repo, args.workdir),
            "git bisect run": by_git(search, args.repo, args.workdir),
        }
        rows += [_row(search, tool, answer) for tool, answer in found.items()]
        data.append({**asdict(search), "found": {tool: asdict(answer) for tool, answer in found.items()}})
    return Report("bisecting", (Table("Commits of FlyDSL", COLUMNS, rows, NOTES),), {"searches": data})


NOTES = (
    "flybisect was given `--allow-inexact`. Its other tests are those of both ends, and of each end's "
    "Python over the other's natives, to see which half owns the change; git takes the ends on trust, and "
    "its natives too. **Bold**: an answer that leaves out the right commit.",
)


def _row(search: Search, tool: str, answer: Answer) -> list[Cell]:
    right = any(each.startswith(search.culprit) for each in answer.suspects)
    told = answer.suspects[0][:8] if len(answer.suspects) == 1 else f"one of {len(answer.suspects)}"
    shown = told if right else f"**{told}**"
    name = Path(search.case).stem
    where = f"v{search.older}..v{search.newer}"
    counts: list[Cell] = [answer.commits, tool, answer.tests, answer.between, answer.made, answer.skipped]
    return [where, name, *counts, answer.seconds, shown, answer.sure]


def by_flybisect(search: Search, repo: Path, workdir: Path) -> Answer:
    """From nothing: what earlier sessions tested is not known."""
    with TemporaryDirectory(prefix="flybisect-bench-") as folder:
        fresh = Path(folder)
        (fresh / "toolchains").symlink_to((workdir / "toolchains").absolute())
        command = [sys.executable, "-m", "flybisect", "commits", f"v{search.older}..v{search.newer}"]
        command += ["--case", str(ROOT / search.case), "--repo", str(repo), "--workdir", str(fresh)]
        began = time.monotonic()
        ended = subprocess.run(
            [*command, "--allow-inexact", "--json", "--quiet"], stdout=subprocess.PIPE, text=True, check=True
        )
    found = json.loads(ended.stdout)
    culprits = tuple(each["hash"] for each in found["culprits"])
    tests = found["tests"]
    return Answer(
        commits=_length(found["commits"]),
        tests=found["test_count"],
        between=sum(each["candidate"] not in (None, 0, found["candidates"] - 1) for each in tests),
        made=sum(each["kind"] != "release" for each in found["builds"]),
        skipped=sum(each["side"] == "skip" for each in tests),
        seconds=round(time.monotonic() - began, 1),
        suspects=culprits,
        sure=bool(found["confirmed"]),
    )


def _length(commits: Any) -> int:
    return commits if isinstance(commits, int) else len(commits)


def by_git(search: Search, repo: Path, workdir: Path) -> Answer:
    natives = Toolchains(workdir, silent).get(search.newer).paths[0]
    with TemporaryDirectory(prefix="flybisect-bench-") as folder:
        clone, log = Path(folder) / "clone", Path(folder) / "log"
        subprocess.run(["git", "clone", "--quiet", "--shared", str(repo), str(clone)], check=True)
        told = "interesting" if search.bug_first else "uninteresting"
        test = [sys.executable, "-m", "tests.bench.others.overlaid", str(clone), str(natives)]
        began = time.monotonic()
        _git(clone, "bisect", "start", f"v{search.newer}", f"v{search.older}")
        _git(
            clone,
            "bisect",
            "run",
            "env",
            "-C",
            str(ROOT),
            *test,
            str(ROOT / search.case),
            told,
            str(log),
            check=False,
        )
        seconds = round(time.monotonic() - began, 1)
        codes = log.read_text().split()
        written = _git(clone, "bisect", "log")
        commits = int(_git(clone, "rev-list", "--count", f"v{search.older}..v{search.newer}"))
    suspects = re.findall(r"^# (?:possible )?first bad commit: \[(\w+)\]", written, re.MULTILINE)
    skipped = sum(code not in "01" for code in codes)
    return Answer(commits, len(codes), len(codes), len(codes), skipped, seconds, tuple(suspects), False)


def _git(at: Path, *arguments: str, check: bool = True) -> str:
    return subprocess.run(
        ["git", "-C", str(at), *arguments], capture_output=True, text=True, check=check
    ).stdout
