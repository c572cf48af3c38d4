"""Whether a script can still get to what FlyDSL compiles, told from its text alone.

Whoever is named in code that runs counts as called, whatever it is named for, and so does what Python, a base
class or a decorator may call without a name. A script is only given up where no code that runs names a
function of the DSL, or anything by which one could be had otherwise.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator

COMPILING = frozenset({"jit", "kernel", "compile", "autotune", "JitFunction", "KernelFunction"})
"""Names by which FlyDSL compiles without a decorator."""
HIDDEN = frozenset(
    {"eval", "exec", "globals", "locals", "vars", "dir", "__dict__", "__import__", "import_module"}
    | {"run_path", "run_module"}
)
"""Ways to a function that is not named."""
HARMLESS = frozenset({"flydsl", "torch", "numpy"}) | sys.stdlib_module_names
"""Modules whose import compiles nothing and calls nothing of the script."""
PLAIN = frozenset({"property", "staticmethod", "classmethod", "dataclass", "dataclasses", "functools"})
"""Decorators that do not call what they decorate."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def may_compile(text: str) -> bool:
    """False where no kernel can be compiled when the script runs. Raises SyntaxError where it is none."""
    tree = ast.parse(text)
    return _Reach(tree).found


class _Reach:
    def __init__(self, tree: ast.Module) -> None:
        self._dsl = _imported_from_flydsl(tree)
        self._by_name: dict[str, list[_Function]] = defaultdict(list)
        for node in ast.walk(tree):
            if isinstance(node, _Function):
                self._by_name[node.name].append(node)
        self._names: set[str] = set()
        self.found = False
        waiting: list[ast.AST] = list(tree.body)
        while waiting and not self.found:
            waiting += self._read(waiting.pop())

    def _read(self, node: ast.AST) -> Iterator[ast.AST]:
        """What runs because this does."""
        if isinstance(node, _Function):
            if self._runs_anyway(node):
                yield from self._called(node)
            decorators = [part for each in node.decorator_list for part in _arguments(each)]
            yield from [*decorators, *node.args.defaults, *(each for each in node.args.kw_defaults if each)]
            return
        if isinstance(node, ast.ClassDef) and node.bases:
            # What it inherits may call its methods, as a module of torch calls `forward`.
            for method in node.body:
                if isinstance(method, _Function):
                    yield from self._called(method)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self.found |= not all(name.split(".")[0] in HARMLESS for name in _modules(node))
            return
        name = _name(node)
        if name is not None:
            yield from self._named(name)
        yield from ast.iter_child_nodes(node)

    def _named(self, name: str) -> Iterator[ast.AST]:
        if name in HIDDEN or name in COMPILING:
            self.found = True
        if name not in self._names:
            self._names.add(name)
            for function in self._by_name.get(name, ()):
                yield from self._called(function)

    def _called(self, function: _Function) -> Iterator[ast.AST]:
        self.found |= any(_root(each) not in PLAIN for each in function.decorator_list)
        yield from function.body

    def _runs_anyway(self, function: _Function) -> bool:
        """Python calls it without its name, or a decorator that is not known may."""
        if function.name.startswith("__"):
            return True
        return any(_root(each) not in self._dsl | PLAIN for each in function.decorator_list)


def _imported_from_flydsl(tree: ast.Module) -> frozenset[str]:
    names = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            of_flydsl = all(module.split(".")[0] == "flydsl" for module in _modules(node))
            names += [alias.asname or alias.name.split(".")[0] for alias in node.names] if of_flydsl else []
    return frozenset(names)


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return ["." * node.level + (node.module or "")]


def _name(node: ast.AST) -> str | None:
    """A text may name a function as well, for `getattr`."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None


def _root(node: ast.expr) -> str | None:
    """`flyc` of `@flyc.kernel(known_block_size=[64])`."""
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) else None


def _arguments(decorator: ast.expr) -> list[ast.expr]:
    if not isinstance(decorator, ast.Call):
        return []
    return [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
