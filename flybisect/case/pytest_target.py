"""A test of a pytest file, as a script: with its fixtures, its parameters, and the modules beside it.

What its text does not say, pytest says when it collects the file in a trial. A test that takes what only
pytest or a plugin has is run by pytest itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from pathlib import Path

from flybisect.case.flattened_script import FlattenedScript, flat_text, with_paths
from flybisect.case.local_modules import LocalModules, package_of, project_of
from flybisect.case.script_file import read_script
from flybisect.errors import UserError
from flybisect.source.flatten.flatten import FlattenError, Module, flatten
from flybisect.source.pytest.collected import CollectedTest
from flybisect.source.pytest.errors import NeedsPytest, NeedsRunning, TestError
from flybisect.source.pytest.file import TestFile
from flybisect.source.pytest.script import plain_script

Collect = Callable[[Path, str], Sequence[CollectedTest] | None]
"""What pytest collects of a test in a file; None where there is no pytest."""
SHOWN = 6
"""Tests that a sentence lists."""

RUN = """

if __name__ == "__main__":
    import pytest

    raise SystemExit(pytest.main(["-q", "-s", "-p", "no:cacheprovider", "-o", "addopts=", {test}]))
"""


def target_script(file: Path, text: str, test: str, collect: Collect) -> FlattenedScript:
    """Raises UserError where the test is not there, or needs what cannot be had."""
    try:
        try:
            return _plain(file, text, test, None)
        except NeedsRunning as needed:
            items = collect(file, test)
            if items is None:
                raise UserError(f"{needed}; pytest, which could collect it, is not installed") from needed
            return _plain(file, text, test, items)
    except NeedsPytest as needed:
        return _run_by_pytest(file, text, test, collect, str(needed))
    except (TestError, FlattenError) as error:
        raise UserError(str(error)) from error


def only_tests(file: Path, text: str) -> str | None:
    """A sentence about a file that defines tests and runs nothing by itself; None for any other."""
    try:
        found = TestFile(LocalModules(file, text).main(text))
    except (SyntaxError, ValueError, RecursionError):
        return None
    tests = found.tests()
    named = file.name.startswith("test_") or file.name.endswith("_test.py") or "pytest" in text
    if not tests or not named or any(_runs(node, found.tree) for node in found.tree.body):
        return None
    listed = [f"{file.name}::{each}" for each in tests[:SHOWN]]
    more = f", and {len(tests) - SHOWN} more" if len(tests) > SHOWN else ""
    return (
        f"{file.name} defines tests for pytest and runs none by itself; name a test: "
        f"{', '.join(listed)}{more} (with its parameters in brackets, as [64-f16])"
    )


def _plain(file: Path, text: str, test: str, items: Sequence[CollectedTest] | None) -> FlattenedScript:
    found = LocalModules(file, text)
    plain = plain_script(found.main(text), test, _conftests(file, found), items)
    given = {module.name: module for module in plain.conftests}
    modules = LocalModules(file, plain.text, given)
    flat = flatten(modules.main(plain.text), modules)
    whole = flat_text(modules, flat)
    return FlattenedScript(whole, whole, modules=flat.modules, left=flat.left, test=test)


def _run_by_pytest(file: Path, text: str, test: str, collect: Collect, why: str) -> FlattenedScript:
    """The file as it is, with pytest called at its end."""
    items = collect(file, test)
    if items is None:
        raise UserError(f"{why}, and pytest is not installed")
    if test not in (item.id for item in items) and "[" in test:
        raise UserError(f"{file} has no test {test}; it has {', '.join(item.id for item in items[:SHOWN])}")
    kept = text.rstrip("\n") + RUN.format(test=f'f"{{__file__}}::" + {test!r}')
    whole = with_paths(kept, LocalModules(file, text).roots[1:])
    return FlattenedScript(whole, whole, test=test)


def _runs(node: ast.stmt, tree: ast.Module) -> bool:
    """Whether a statement of the file may do more than define something."""
    if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
        return "pytest" not in ast.unparse(node) and "unittest.main" not in ast.unparse(node)
    if isinstance(node, (ast.For, ast.While, ast.With)):
        return True
    if not isinstance(node, ast.Expr):
        return False
    own = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
    return any(isinstance(each, ast.Name) and each.id in own for each in ast.walk(node))


def _conftests(file: Path, modules: LocalModules) -> list[Module]:
    """Those whose fixtures the file's tests can have, the nearest first."""
    project = project_of(file.absolute())
    found: list[Module] = []
    for folder in file.absolute().parents:
        path = folder / "conftest.py"
        if path.is_file():
            name = f"conftest_{len(found)}_of_{folder.name}".replace("-", "_").replace(".", "_")
            package = package_of(path)
            found.append(Module(name, read_script(path, path), str(path), package, modules.shown(path)))
        if project is None or folder == project:
            break
    return found
