"""`check --oracle auto` on every test and example of a FlyDSL source tree, under one FlyDSL.

Nearly all of them are healthy: without a GPU their checks of numbers cannot pass, and that must not be taken
for a bug of the compiler. Every verdict that says "interesting" is to be looked at by a person.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.case.case import Case
from flybisect.case.local_modules import LocalModules
from flybisect.case.script_file import read_script
from flybisect.errors import UserError
from flybisect.judge.judge import Judge
from flybisect.judge.trials import NoMemory
from flybisect.probe.runner import Runner
from flybisect.source.pytest.file import TestFile
from flybisect.workflows.prepare import prepare
from tests.bench.report import SCRATCH, Cell, Report, Table, tell

SUMMARY = "verdicts of `check --oracle auto` on FlyDSL's own tests and examples"
FOLDERS = ("examples", "tests/kernels", "tests/language", "tests/system", "tests/unit", "tests/python")
SECONDS = 120.0
"""Of a trial."""


COLUMNS = ("sources", "FlyDSL", "arch", "tried", "uninteresting", "unresolved", "refused", "interesting")

EACH = ("sources", "script", "verdict", "oracle", "why")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trees", nargs="+", metavar="TREE@FLYDSL@ARCH", help="checkouts of FlyDSL")
    parser.add_argument("--only", default="", help="scripts whose path holds this text")
    parser.add_argument("--most", type=int, default=1000, help="tests of one file")


def measure(args: argparse.Namespace) -> Report:
    counted: list[list[Cell]] = []
    every: list[list[Cell]] = []
    for given in args.trees:
        folder, flydsl, arch = given.split("@")
        tree = Path(folder).resolve()
        rows = list(_verdicts(tree, flydsl, arch, args.only, args.most))
        counts = Counter(str(row[1]) for row in rows)
        counted.append([tree.name, flydsl, arch, len(rows), *(counts[name] for name in COLUMNS[4:])])
        every += [[tree.name, *row] for row in rows]
    interesting = [row for row in every if row[2] == "interesting"]
    return Report(
        "survey",
        (
            Table("Verdicts of `check --oracle auto`", COLUMNS, counted),
            Table(
                "What was called interesting", ("sources", "script", "verdict", "oracle", "why"), interesting
            ),
        ),
        {"columns": COLUMNS, "rows": counted, "verdicts": every},
    )


def _verdicts(tree: Path, flydsl: str, arch: str, only: str, most: int) -> Iterator[list[Cell]]:
    """Script, verdict, oracle and reason. One worker is used for all scripts."""
    with TemporaryDirectory(prefix="flybisect-", ignore_cleanup_errors=True) as scratch:
        runner = Runner(Path(scratch), 1)
        with closing(runner):
            for name in targets(tree, most):
                if only in name:
                    row: list[Cell] = [name, *_verdict(tree / name, flydsl, arch, runner)]
                    tell(" | ".join(map(str, row)))
                    yield row


def _verdict(script: Path, flydsl: str, arch: str, runner: Runner) -> tuple[str, str, str]:
    request = Case(script, arch=arch, flydsl=flydsl, oracle="auto", timeout=SECONDS, jobs=1, workdir=SCRATCH)
    try:
        bench = prepare(request, tell)
        judge = Judge(bench.case, bench.oracle, bench.subject, bench.base, runner, NoMemory())
        evidence, verdict = judge.observe(bench.source)  # Once: `check` repeats what is not interesting.
    except UserError as error:
        return "refused", "", str(error)
    why = verdict.why.splitlines()
    return verdict.answer.value, judge.oracle.specialized(evidence).name, why[0][:300] if why else ""


def targets(tree: Path, most: int) -> Iterator[str]:
    """Scripts and tests, as they are named on a command line below the tree."""
    for folder in FOLDERS:
        for path in sorted((tree / folder).rglob("*.py")):
            name = str(path.relative_to(tree))
            if path.name.startswith("test_"):
                for test in _tests(path)[:most]:
                    yield f"{name}::{test}"
            elif not path.name.startswith(("__init__", "conftest")):
                yield name


def _tests(path: Path) -> list[str]:
    text = read_script(path, path)
    return TestFile(LocalModules(path, text).main(text)).tests()
