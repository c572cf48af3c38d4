"""The modules that a flattened script is made of: how they are found, and what is taken off them first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from flybisect.source.edit import Edit, apply
from flybisect.source.source import Source

MAIN = "__main__"


class FlattenError(ValueError):
    """Why the script and its modules cannot be made one text, in one sentence."""


@dataclass(frozen=True)
class Module:
    """A module's text and what Python would say of it."""

    name: str
    """Dotted; `__main__` for the script."""
    text: str
    path: str
    """Absolute, as its `__file__`; also what sentences call it by, shortened."""
    package: str = ""
    """Where its relative imports start; empty for a script that lies in no package."""
    shown: str = ""
    """Its path as a person would say it."""


class Finder(Protocol):
    """Reads modules. What it calls local becomes part of the script."""

    def local(self, name: str) -> Module | None:
        """The local module of a dotted name; a namespace package is one with an empty text. None: not local.

        Raises FlattenError where it lies there and cannot be read.
        """
        ...

    def installed(self, name: str) -> bool:
        """True where a module that is not local can be imported."""
        ...


@dataclass(frozen=True)
class CleanedModule:
    """A module without what has no place in the middle of a script."""

    module: Module
    futures: frozenset[str]
    docstring: str | None
    listed: tuple[str, ...] | None
    """Its `__all__`; None where it has none or it is computed."""


def cleaned(module: Module) -> CleanedModule:
    """Parse a module. Unless it is the script: without docstring, `__all__` and what runs only as a script.

    `from __future__` goes from all, since it holds for a whole file; see `CleanedModule.futures`.
    Raises FlattenError where it does not parse.
    """
    try:
        source = Source(module.text)
    except (SyntaxError, ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        line = getattr(error, "lineno", None)
        raise FlattenError(f"{module.shown}, line {line}, does not parse: {reason}") from error
    body = source.tree.body
    futures = [
        node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]  # fmt: skip
    gone: list[ast.stmt] = list(futures)
    if module.name != MAIN:
        gone += [node for node in body if runs_as_script(node)]
        if ast.get_docstring(source.tree, clean=False) is not None:
            gone.append(body[0])
        gone += _listings(source.tree) if "__all__" in module.text else []
    edits = [removal(source, node) for node in gone]
    return CleanedModule(
        module=replace(module, text=apply(module.text, edits)),
        futures=frozenset(alias.name for node in futures for alias in node.names),
        docstring=ast.get_docstring(source.tree, clean=False),
        listed=_all(source.tree) if "__all__" in module.text else None,
    )


def removal(source: Source, node: ast.stmt) -> Edit:
    """Takes a statement away, with its line where nothing else stands on it."""
    start, end = source.span(node)
    begin, line_end = source.line_begin(start), source.line_end(end)
    before, behind = source.text[begin:start], source.text[end:line_end]
    if not before.strip() and (not behind.strip() or behind.lstrip().startswith("#")):
        return Edit(begin, line_end)
    if behind.lstrip().startswith(";"):
        behind = behind[: behind.index(";") + 1]
        rest = source.text[end + len(behind) : line_end]
        return Edit(start, end + len(behind) + len(rest) - len(rest.lstrip(" \t")))
    return Edit(start, end, "pass")


def runs_as_script(node: ast.stmt) -> bool:
    """`if __name__ == "__main__":` without an `else`."""
    if not isinstance(node, ast.If) or node.orelse or not isinstance(node.test, ast.Compare):
        return False
    sides = [node.test.left, *node.test.comparators]
    named = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    main = any(isinstance(side, ast.Constant) and side.value == MAIN for side in sides)
    return named and main and len(node.test.ops) == 1 and isinstance(node.test.ops[0], ast.Eq)


def _listings(tree: ast.Module) -> list[ast.stmt]:
    """The statements that only build `__all__`; none where it is read otherwise."""
    found = [node for node in tree.body if _lists(node)]
    inside = sum(1 for node in found for part in ast.walk(node) if _is_all(part))
    everywhere = sum(1 for part in ast.walk(tree) if _is_all(part))
    return found if inside == everywhere else []


def _lists(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return len(node.targets) == 1 and _is_all(node.targets[0])
    if isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        return _is_all(node.target)
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and _is_all(call.func.value)


def _is_all(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "__all__"


def _all(tree: ast.Module) -> tuple[str, ...] | None:
    found: list[str] | None = None
    for node in _listings(tree):
        for value in _values(node):
            try:
                names = ast.literal_eval(value)
            except ValueError:
                return None
            found = (found or []) + ([names] if isinstance(names, str) else list(names))
    return None if found is None else tuple(found)


def _values(node: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(node, (ast.Assign, ast.AugAssign)):
        yield node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.value
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield from node.value.args


def absolute(module: Module, node: ast.ImportFrom) -> str:
    """The dotted name that a `from` import starts at. Raises FlattenError where it leaves its package."""
    if node.level == 0:
        return node.module or ""
    parts = module.package.split(".") if module.package else []
    if node.level - 1 > len(parts) or (node.level > 1 and node.level - 1 == len(parts)):
        raise FlattenError(
            f"{module.shown}, line {node.lineno}, imports from {'.' * node.level}{node.module or ''}, which "
            f"is above the package that it lies in"
        )
    kept = parts[: len(parts) - (node.level - 1)]
    return ".".join([*kept, *([node.module] if node.module else [])])
