"""A pytest file: its tests, fixtures and marks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from flybisect.source.flatten.modules import Module
from flybisect.source.pytest.values import Values
from flybisect.source.source import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Fixture:
    """A function that gives a test a value."""

    name: str
    node: Function
    owner: TestFile
    holder: ast.ClassDef | None
    autouse: bool
    params: ast.expr | None
    ids: ast.expr | None

    @property
    def asks(self) -> list[str]:
        """Fixtures that it takes itself."""
        return arguments(self.node, method=self.holder is not None)

    @property
    def goes_on(self) -> bool:
        """True for a generator: what stands behind its `yield` is for after the test."""
        return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own_nodes(self.node))


class TestFile:
    """One file. Raises SyntaxError."""

    __test__ = False

    def __init__(self, module: Module) -> None:
        self.module = module
        self.source = Source(module.text)
        self.tree = self.source.tree
        self.values = Values(self.tree, pytest_names(self.tree))
        self.fixtures = [found for node in self.tree.body for found in self._fixtures(node)]

    def _fixtures(self, node: ast.stmt) -> Iterator[Fixture]:
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    found = self.fixture(inner, node)
                    if found is not None:
                        yield found
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found = self.fixture(node, None)
            if found is not None:
                yield found

    def fixture(self, node: Function, holder: ast.ClassDef | None) -> Fixture | None:
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            if self.values.dotted(call.func if call else decorator) != "pytest.fixture":
                continue
            given = {each.arg: each.value for each in call.keywords} if call else {}
            name, auto = given.get("name"), given.get("autouse")
            return Fixture(
                name=str(name.value) if isinstance(name, ast.Constant) else node.name,
                node=node,
                owner=self,
                holder=holder,
                autouse=isinstance(auto, ast.Constant) and bool(auto.value),
                params=given.get("params"),
                ids=given.get("ids"),
            )
        return None

    def marks(self, node: Function | ast.ClassDef) -> list[ast.expr]:
        """Decorators that are pytest's, the lowest first, as pytest counts them."""
        found = [self.values.marks(each) for each in reversed(node.decorator_list)]
        return [each for each in found if self._is_pytest(each)]

    def file_marks(self, body: list[ast.stmt]) -> list[ast.expr]:
        """`pytestmark` of a file or a class."""
        for node in body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                if node.targets[0].id == "pytestmark":
                    value = node.value
                    listed = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
                    return [self.values.marks(each) for each in listed]
        return []

    def named(self, mark: ast.expr, name: str) -> ast.Call | None:
        """The mark as a call, where it is `pytest.mark.name(…)`."""
        if isinstance(mark, ast.Call) and self.values.dotted(mark.func) == f"pytest.mark.{name}":
            return mark
        return None

    def _is_pytest(self, node: ast.expr) -> bool:
        return self.values.dotted(node.func if isinstance(node, ast.Call) else node) is not None

    def function(self, path: list[str]) -> tuple[list[ast.ClassDef], Function | None]:
        """The classes around a test, and the test itself, also where a class has it from another one here."""
        classes: list[ast.ClassDef] = []
        body: list[ast.stmt] = self.tree.body
        for name in path[:-1]:
            found = _in(body, name, ast.ClassDef)
            if not isinstance(found, ast.ClassDef):
                return classes, None
            classes.append(found)
            body = found.body
        node = _in(body, path[-1], (ast.FunctionDef, ast.AsyncFunctionDef))
        for base in self.bases(classes[-1]) if classes and node is None else ():
            node = node or _in(base.body, path[-1], (ast.FunctionDef, ast.AsyncFunctionDef))
        return classes, node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None

    def bases(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """Classes of the file that one is made of, the nearest first."""
        found: list[ast.ClassDef] = []
        for base in node.bases:
            known = _in(self.tree.body, base.id, ast.ClassDef) if isinstance(base, ast.Name) else None
            if isinstance(known, ast.ClassDef) and known is not node:
                found += [known, *self.bases(known)]
        return found

    def tests(self) -> list[str]:
        """Names of all tests, as a command line has them."""
        found = []
        for node in self.tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
                found.append(node.name)
            elif isinstance(node, ast.ClassDef):
                found += [
                    f"{node.name}::{inner.name}"
                    for inner in node.body
                    if isinstance(inner, ast.FunctionDef) and inner.name.startswith("test")
                ]
        return found


def _in(body: list[ast.stmt], name: str, kind: type | tuple[type, ...]) -> ast.stmt | None:
    """The last definition of a name, which is the one that holds."""
    found = [node for node in body if isinstance(node, kind) and getattr(node, "name", None) == name]
    return found[-1] if found else None


def pytest_names(tree: ast.Module) -> dict[str, str]:
    """What the file calls pytest and its parts → their dotted names."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "pytest":
                    found[alias.asname or "pytest"] = "pytest"
        elif isinstance(node, ast.ImportFrom) and node.module == "pytest" and node.level == 0:
            for alias in node.names:
                found[alias.asname or alias.name] = f"pytest.{alias.name}"
    return found


def arguments(node: Function, method: bool) -> list[str]:
    """Names of the parameters that pytest fills."""
    every = [*node.args.posonlyargs, *node.args.args]
    if method and not _is_static(node):
        every = every[1:]
    filled = every[: len(every) - len(node.args.defaults)] if node.args.defaults else every
    kwonly = [
        each for each, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if not default
    ]
    return [each.arg for each in [*filled, *kwonly]]


def _is_static(node: Function) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)


def own_nodes(node: Function) -> Iterator[ast.AST]:
    """Nodes of a function, those of functions inside it left out."""
    queue: list[ast.AST] = list(node.body)
    while queue:
        each = queue.pop(0)
        yield each
        if not isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            queue += list(ast.iter_child_nodes(each))
