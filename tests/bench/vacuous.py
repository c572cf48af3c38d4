"""Which tests passed without checking anything, as one whose loop over what it checks never ran.

    coverage run -m pytest -p tests.bench.vacuous tests/search …     takes note of the lines each test runs
    python -m tests.bench.vacuous                                    reads that, and lists the tests

A check is an `assert` or a `pytest.raises` that was run, in the test or in a helper of the tests. Ends with 1
where a test has none.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

TESTS = Path(__file__).resolve().parents[1]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    # One that is skipped by its marks is not called.
    measured = coverage.Coverage.current()
    if measured is None:
        raise pytest.UsageError("-p tests.bench.vacuous needs `coverage run -m pytest`")
    measured.switch_context(item.nodeid)
    return (yield)


def checks(path: Path) -> set[int]:
    """The lines of a file's checks."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assert):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.With) and "raises(" in "".join(ast.unparse(each) for each in node.items):
            found.update(range(node.lineno, node.body[0].lineno))
    return found


def without(data: coverage.CoverageData) -> list[str]:
    """Tests that ran no check."""
    ran: set[str] = set()
    checked: set[str] = set()
    for name in data.measured_files():
        path = Path(name)
        if path.is_relative_to(TESTS):
            wanted = checks(path)
            for line, tests in data.contexts_by_lineno(name).items():
                ran.update(tests)
                checked.update(tests if line in wanted else ())
    return sorted(ran - checked - {""})


def main() -> None:
    measured = coverage.Coverage()
    measured.load()
    found = without(measured.get_data())
    print(*found, f"{len(found)} tests checked nothing", sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
