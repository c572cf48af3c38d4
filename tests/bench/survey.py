"""`check --oracle auto` on every test and example of a FlyDSL source tree, under one FlyDSL.

Nearly all of them are healthy: without a GPU their checks of numbers cannot pass, and that must not be taken
for a bug of the compiler. Every verdict that says "interesting" is to be looked at by a person.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from flybisect.case.case import Case
from flybisect.case.local_modules import LocalModules
from flybisect.case.script_file import read_script
from flybisect.errors import UserError
from flybisect.judge.judge import Judge
from flybisect.judge.trials import Forgetful
from flybisect.probe.runner import Runner
from flybisect.source.pytest.file import TestFile
from flybisect.workflows.check import check
from flybisect.workflows.prepare import prepare
from tests.bench.report import SCRATCH, Cell, Report, Table, tell

SUMMARY = "verdicts of `check --oracle auto` on FlyDSL's own tests and examples"
FOLDERS = ("examples", "tests/kernels", "tests/language", "tests/system", "tests/unit", "tests/python")
SECONDS = 120.0
"""Of a trial."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tree", type=Path, help="a checkout of FlyDSL")
    parser.add_argument("--flydsl", default="installed")
    parser.add_argument("--arch", default="gfx942")
    parser.add_argument("--only", default="", help="scripts whose path holds this text")


def measure(args: argparse.Namespace) -> Report:
    rows: list[list[Cell]] = []
    tree: Path = args.tree.resolve()
    runner = None
    try:
        for name in targets(tree):
            if args.only not in name:
                continue
            request = Case(
                tree / name,
                arch=args.arch,
                flydsl=args.flydsl,
                oracle="auto",
                timeout=SECONDS,
                jobs=1,
                workdir=SCRATCH,
            )
            verdict, oracle, why = "refused", "", ""
            try:
                bench = prepare(request, tell)
                if runner is None:
                    (SCRATCH / "survey").mkdir(parents=True, exist_ok=True)
                    runner = Runner(SCRATCH / "survey", 1)
                judge = Judge(bench.case, bench.oracle, bench.subject, bench.base, runner, Forgetful())
                found = check(judge, bench.source)
                verdict, oracle, why = found.verdict.answer.value, found.oracle, found.verdict.why
            except UserError as error:
                why = str(error)
            rows.append([name, verdict, oracle, why.splitlines()[0][:300] if why else ""])
            tell(" | ".join(map(str, rows[-1])))
    finally:
        if runner is not None:
            runner.close()
    counts = Counter(str(row[1]) for row in rows)
    return Report(
        f"survey-{args.flydsl}",
        (
            Table("Verdicts", ("verdict", "tests and examples"), [[k, n] for k, n in counts.most_common()]),
            Table("Each", ("script", "verdict", "oracle", "why"), rows),
        ),
        {"flydsl": args.flydsl, "arch": args.arch, "verdicts": dict(counts), "rows": rows},
    )


def targets(tree: Path) -> Iterator[str]:
    """Scripts and tests, as they are named on a command line below the tree."""
    for folder in FOLDERS:
        for path in sorted((tree / folder).rglob("*.py")):
            name = str(path.relative_to(tree))
            if path.name.startswith("test_"):
                for test in _tests(path):
                    yield f"{name}::{test}"
            elif not path.name.startswith(("__init__", "conftest")):
                yield name


def _tests(path: Path) -> list[str]:
    text = read_script(path, path)
    return TestFile(LocalModules(path, text).main(text)).tests()
