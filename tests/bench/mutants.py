"""Mutation testing: which small faults in the pure cores no test of their room notices.

Every mutant is one module with one change: another comparison, a constant off by one, a `not` less, `and` for
`or`, another value that is returned, a statement less, a branch that is always or never taken. It is never
written to disk: a forked process imports it in place of the module, and runs the tests that reach the changed
line until one fails. A mutant that survives is either equivalent (no behaviour differs) or a hole in the
tests; which of the two it is, a reader has to say.

Takes minutes to an hour. `--only name` chooses modules, `--json` keeps the survivors.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import importlib.abc
import importlib.util
import io
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

from tests.bench.report import ROOT, Cell, Report, Table, tell

SUMMARY = "which small faults in search, judge and signatures no test notices"
ROOMS: Mapping[str, tuple[str, ...]] = {
    "search": ("bisect", "delta_debugging", "flaky_bisection", "parallel_map", "reproduction_rate"),
    "judge": ("verdict_rules", "flaky", "verdict_cache", "speculation", "requirement"),
    "oracle": ("signatures", "normalize", "baseline", "blame"),
}
"""Modules that are changed, by their room; their tests are those of the room."""
TOO_SLOW = ("test_real", "test_long_texts", "test_interleavings", "test_slow_patterns", "test_limits")
"""Test files that start processes or take longer than all others of their room together."""
TIMES, LEAST = 3.0, 3.0
"""A mutant's tests may take so many times the CPU seconds that they take without it, and so many more."""
WAITING = 60.0
"""Wall seconds beyond that, times as many as a busy machine may take: for what waits and never ends."""


@dataclass(frozen=True)
class Mutant:
    module: str
    line: int
    change: str
    tree: ast.Module


@dataclass(frozen=True)
class Reach:
    """Which tests run a line, and how many CPU seconds each test function takes."""

    tests: Mapping[int, frozenset[str]]
    seconds: Mapping[str, float]


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", nargs="+", default=[], metavar="MODULE", help="as judge.flaky")
    parser.add_argument("--json", type=Path, help="where the survivors go")


def measure(args: argparse.Namespace) -> Report:
    rows: list[list[Cell]] = []
    survivors: list[dict[str, str | int]] = []
    for room, names in ROOMS.items():
        for name in names:
            if not args.only or f"{room}.{name}" in args.only:
                row, survived = _module(room, name)
                rows.append(row)
                survivors += [
                    {"module": each.module, "line": each.line, "change": each.change} for each in survived
                ]
                if args.json is not None:
                    args.json.write_text(json.dumps(survivors, indent=1))
    table = Table("Mutants", ("module", "mutants", "killed", "by time", "not reached", "survived"), rows)
    return Report("mutants", (table,), {"survivors": survivors})


def _module(room: str, name: str) -> tuple[list[Cell], list[Mutant]]:
    module = f"flybisect.{room}.{name}"
    path = ROOT / "flybisect" / room / f"{name}.py"
    for test in test_files(room):  # So that forked processes find what they import from elsewhere.
        importlib.import_module(Path(test).with_suffix("").as_posix().replace("/", "."))
    reach = reached(path, module, test_files(room))
    counts = dict.fromkeys(("killed", "by time", "not reached", "survived"), 0)
    survived = []
    mutants = list(mutants_of(module, path.read_text(encoding="utf-8")))
    for each in mutants:
        tests = reach.tests.get(each.line, frozenset())
        ended = outcome(each, tests, reach) if tests else "not reached"
        counts[ended] += 1
        if ended in ("survived", "not reached"):
            survived.append(each)
            tell(f"{ended}: {room}/{name}.py:{each.line}: {each.change}")
    tell(f"{room}.{name}: {len(mutants)} mutants, {counts}")
    return [f"{room}.{name}", len(mutants), *counts.values()], survived


def test_files(room: str) -> list[str]:
    """Of a room, but for those that are too slow."""
    paths = sorted((ROOT / "tests" / room).glob("test_*.py"))
    return [str(path.relative_to(ROOT)) for path in paths if path.stem not in TOO_SLOW]


def mutants_of(module: str, text: str) -> Iterator[Mutant]:
    tree = ast.parse(text)
    typed = {id(inner) for node in ast.walk(tree) for outer in _types(node) for inner in ast.walk(outer)}
    for at, node in enumerate(ast.walk(tree)):
        for which, (line, change, _) in enumerate(_edits(node) if id(node) not in typed else []):
            copied = copy.deepcopy(tree)
            target = next(each for number, each in enumerate(ast.walk(copied)) if number == at)
            _edits(target)[which][2].make()
            yield Mutant(module, line, change, ast.fix_missing_locations(copied))


def _types(node: ast.AST) -> Iterator[ast.AST]:
    """Annotations, type aliases and decorators, which no test can tell from others."""
    for field in ("annotation", "returns"):
        given = getattr(node, field, None)
        if isinstance(given, ast.AST):
            yield given
    yield from getattr(node, "decorator_list", ())
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
        if ast.unparse(node.value.value) == "Callable":
            yield node.value


COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Edit:
    """Sets a field of a node."""

    node: ast.AST
    field: str
    value: object

    def make(self) -> None:
        setattr(self.node, self.field, self.value)


def _edits(node: ast.AST) -> list[tuple[int, str, Edit]]:
    """Every change of this node: its line, a sentence, and what makes it."""
    made: list[tuple[int, str, Edit]] = []

    def add(at: ast.expr | ast.stmt, said: str, field: str, value: object) -> None:
        made.append((at.lineno, said, Edit(node, field, value)))

    if isinstance(node, ast.Compare):
        for at, op in enumerate(node.ops):
            for other in COMPARISONS[type(op)]:
                ops = [other() if place == at else each for place, each in enumerate(node.ops)]
                add(node, f"{ast.unparse(node)}: {type(op).__name__} -> {other.__name__}", "ops", ops)
    elif isinstance(node, ast.BoolOp):
        other_op = ast.Or if isinstance(node.op, ast.And) else ast.And
        add(node, f"{ast.unparse(node)}: {other_op.__name__}", "op", other_op())
        for at in range(len(node.values)):
            left = [each for place, each in enumerate(node.values) if place != at]
            add(node, f"{ast.unparse(node)}: without `{ast.unparse(node.values[at])}`", "values", left)
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        operator = OPERATORS[type(node.op)]
        add(node, f"{ast.unparse(node)}: {operator.__name__}", "op", operator())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        add(node, f"{ast.unparse(node)}: without not", "operand", ast.UnaryOp(ast.Not(), node.operand))
    elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int)):
        value = not node.value if isinstance(node.value, bool) else node.value + 1
        add(node, f"{node.value} -> {value}", "value", value)
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        for value in (True, False):
            if isinstance(node, ast.While) and value:
                continue
            add(node, f"if {ast.unparse(node.test)}: always {value}", "test", ast.Constant(value))
    elif isinstance(node, ast.comprehension):
        for at, test in enumerate(node.ifs):
            rest = [each for place, each in enumerate(node.ifs) if place != at]
            add(test, f"for … if {ast.unparse(test)}: without", "ifs", rest)
    elif isinstance(node, ast.Return) and node.value is not None:
        if not (isinstance(node.value, ast.Constant) and node.value.value in (None, False)):
            add(node, f"return {ast.unparse(node.value)}: None", "value", ast.Constant(None))
    made += _deletions(node)
    return made


ACTS = (ast.Expr, ast.AugAssign, ast.Assign, ast.Raise, ast.Delete)


def _deletions(node: ast.AST) -> list[tuple[int, str, Edit]]:
    """Statements of a body that only act: calls, assignments to what exists, `raise`."""
    made = []
    for field in ("body", "orelse"):
        body = getattr(node, field, None)
        if not isinstance(body, list) or isinstance(node, (ast.Module, ast.ClassDef)):
            continue
        for at, each in enumerate(body):
            docstring = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
            if docstring or not isinstance(
                each, (ast.Expr, ast.AugAssign, ast.Assign, ast.Raise, ast.Delete)
            ):
                continue
            rest = [*body[:at], ast.Pass(), *body[at + 1 :]]
            made.append((each.lineno, f"without `{ast.unparse(each)}`", Edit(node, field, rest)))
    return made


def reached(path: Path, module: str, files: Sequence[str]) -> Reach:
    """By one run of the room's tests under coverage, in another process. Tests that fail are left out."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "reach.json"
        child = os.fork()
        if child == 0:
            _quietly(lambda: _reach(path, module, files, out))
        os.waitpid(child, 0)
        data = json.loads(out.read_text())
    return Reach(
        {int(line): frozenset(tests) for line, tests in data["tests"].items()}, dict(data["seconds"])
    )


class _Watch:
    """A pytest plugin: which test runs which line of one file, and for how long."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.tests: dict[int, set[str]] = {}
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: object) -> None:
        if getattr(report, "outcome", "") == "failed":
            self.failed.add(str(getattr(report, "nodeid", "")).partition("[")[0])


def _reach(path: Path, module: str, files: Sequence[str], out: Path) -> int:
    import coverage
    import pytest

    class Watch(_Watch):
        @pytest.hookimpl(wrapper=True)  # type: ignore[untyped-decorator, unused-ignore]
        def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
            test, before = item.nodeid.partition("[")[0], time.process_time()
            measured.switch_context(test)
            result = yield
            self.seconds[test] = self.seconds.get(test, 0.0) + time.process_time() - before
            return result

    measured = coverage.Coverage(data_file=None, include=[str(path)], config_file=False)
    watch = Watch(path)
    measured.start()
    measured.switch_context("")
    _pytest([*files, "-m", "not release and not slow"], [watch])
    measured.stop()
    lines = measured.get_data().contexts_by_lineno(str(path))
    every = {test for tests in lines.values() for test in tests} - {""} - watch.failed
    tests = {
        line: sorted((every if "" in found else set(found)) - watch.failed - {""})
        for line, found in lines.items()
    }
    out.write_text(json.dumps({"tests": tests, "seconds": watch.seconds}))
    return 0


def _pytest(words: Sequence[str], plugins: Sequence[object] = ()) -> int:
    import pytest

    return int(pytest.main([*words, "-q", "-p", "no:cacheprovider", "-p", "no:xdist"], list(plugins)))


class Replaced(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports a module from a tree in place of its file."""

    def __init__(self, name: str, code: CodeType, path: Path) -> None:
        self.name = name
        self.code = code
        self.path = path

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


def outcome(mutant: Mutant, tests: frozenset[str], reach: Reach) -> str:
    """What became of it: `killed`, `by time`, or `survived`."""
    ordered = sorted(tests, key=lambda test: reach.seconds.get(test, 0.0))
    limit = LEAST + TIMES * sum(reach.seconds.get(test, 0.0) for test in ordered)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit + 1), int(limit + 2)))
        _quietly(lambda: _run(mutant, ordered))
    ends = time.monotonic() + WAITING + 10 * limit
    while time.monotonic() < ends:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return "survived" if code == 0 else "by time" if code == -signal.SIGXCPU else "killed"
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "by time"


def _run(mutant: Mutant, tests: Sequence[str]) -> int:
    path = ROOT / Path(*mutant.module.split(".")).with_suffix(".py")
    code = compile(mutant.tree, str(path), "exec", dont_inherit=True)
    sys.meta_path.insert(0, Replaced(mutant.module, code, path))
    return _pytest([*tests, "-x"])


def _quietly(work: Callable[[], int]) -> None:
    """Runs it in this forked process, which ends with what it returns."""
    code = 1
    try:
        os.chdir(ROOT)
        _forget()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        with contextlib.redirect_stdout(io.StringIO()):
            code = work()
    finally:
        os._exit(code)


def _forget() -> None:
    """So that the modules under test, and their tests, are imported anew."""
    for name in list(sys.modules):
        if name.split(".")[0] == "flybisect" or name.startswith("tests."):
            if not name.startswith("tests.bench"):
                del sys.modules[name]
