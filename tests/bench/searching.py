"""flybisect's search alone against `git bisect run`, on made-up histories with commits that can't be tested.

Each history is a repository with that many commits in a row, and git itself searches it. Both are told which
end is which; flybisect asks about the two ends all the same, which `git bisect run` does not, so these two
tests are counted apart.
"""

from __future__ import annotations

import argparse
import random
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from flybisect.search.bisect import Found, Side, bisect
from tests.bench.report import Cell, Report, Table

SUMMARY = "the search alone against git bisect run, on made-up histories"
ENDS = 2
CODES = {Side.GOOD: 0, Side.BAD: 1, Side.SKIP: 125}
KINDS = (
    "all can be tested",
    "one in ten can't, anywhere",
    "one in three can't, anywhere",
    "a stretch of a third",
)


@dataclass(frozen=True)
class Searched:
    tests: int
    suspects: int
    """Commits that the answer names; 1 is exact."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--histories", type=int, default=20, help="of each kind and length")
    parser.add_argument("--lengths", type=int, nargs="+", default=[50, 300])
    parser.add_argument("--seed", type=int, default=1)


def measure(args: argparse.Namespace) -> Report:
    chance = random.Random(args.seed)
    rows: list[list[Cell]] = []
    for length in args.lengths:
        for kind in KINDS:
            found = [
                (by_git(each), by_flybisect(each)) for each in histories(kind, length, args.histories, chance)
            ]
            rows.append(_row(kind, length, found))
    notes = (f"Means over {args.histories} histories a line. The ends' {ENDS} tests are flybisect's alone.",)
    return Report(
        "searching",
        (Table("Tests to the answer", COLUMNS, rows, notes),),
        {"columns": COLUMNS, "rows": rows, "seed": args.seed},
    )


COLUMNS = (
    "commits",
    "which can't be tested",
    "tests, git",
    "tests, flybisect",
    "with the ends",
    "most, git",
    "most, flybisect",
    "suspects, git",
    "suspects, flybisect",
)


def _row(kind: str, length: int, found: Sequence[tuple[Searched, Searched]]) -> list[Cell]:
    git, ours = ([pair[at] for pair in found] for at in (0, 1))
    tests = float(mean(each.tests for each in ours))
    return [
        length,
        kind,
        float(mean(each.tests for each in git)),
        tests,
        tests + ENDS,
        max(each.tests for each in git),
        max(each.tests for each in ours),
        float(mean(each.suspects for each in git)),
        float(mean(each.suspects for each in ours)),
    ]


def histories(kind: str, length: int, number: int, chance: random.Random) -> Iterator[list[Side]]:
    for _ in range(number):
        change = chance.randrange(1, length)
        history = [Side.GOOD] * change + [Side.BAD] * (length - change)
        inner = range(1, length - 1)
        share = {KINDS[1]: 10, KINDS[2]: 3}.get(kind)
        if share is not None:
            skipped = chance.sample(inner, length // share)
        elif kind == KINDS[3]:
            start = chance.randrange(1, length - length // 3)
            skipped = list(range(start, start + length // 3 - 1))
        else:
            skipped = []
        for at in skipped:
            history[at] = Side.SKIP
        yield history


def by_flybisect(history: Sequence[Side]) -> Searched:
    """The ends' tests left out."""
    asked: list[int] = []

    def ask(places: Sequence[int]) -> list[Side]:
        asked.extend(places)
        return [history[at] for at in places]

    found = bisect(len(history), ask)
    assert isinstance(found, Found)
    return Searched(len(asked) - ENDS, len(found.suspects))


def by_git(history: Sequence[Side]) -> Searched:
    with TemporaryDirectory(prefix="flybisect-bench-") as folder:
        at = Path(folder)
        _repository(at, history)
        test = f'read code < code; echo "$code" >> "{at}/.git/tests"; exit "$code"'
        _git(at, "bisect", "start", "HEAD", f"HEAD~{len(history) - 1}")
        # It ends with 2 where only commits are left that can't be tested.
        _git(at, "bisect", "run", "sh", "-c", test, check=False)
        log = _git(at, "bisect", "log").splitlines()
        tests = (at / ".git" / "tests").read_text().splitlines()
        suspects = [line for line in log if line.startswith(("# first bad", "# possible first bad"))]
        return Searched(len(tests), len(suspects))


def _repository(at: Path, history: Sequence[Side]) -> None:
    _git(at, "init", "--quiet", "--initial-branch=main")
    who = "committer A <a@example.org>"
    stream = []
    for number, side in enumerate(history):
        text = f"{CODES[side]}\n"
        told = f"{number}\n"
        stream.append(f"commit refs/heads/main\n{who} {number} +0000\ndata {len(told)}\n{told}")
        stream.append(f"M 644 inline code\ndata {len(text)}\n{text}")
        stream.append(f"M 644 inline number\ndata {len(told)}\n{told}")
    _git(at, "fast-import", "--quiet", given="".join(stream))
    _git(at, "reset", "--quiet", "--hard", "main")


def _git(at: Path, *arguments: str, given: str | None = None, check: bool = True) -> str:
    ended = subprocess.run(
        ["git", "-C", str(at), *arguments], input=given, capture_output=True, text=True, check=check
    )
    return ended.stdout
