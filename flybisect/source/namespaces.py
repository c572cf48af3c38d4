"""Namespaces, the statements in them, and what each statement reads and binds: plain data."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field

Key = tuple[int, str]
"""A variable: the number of the scope that owns it, and its name."""

IMPLICIT = frozenset(dir(builtins)) | {
    "__name__", "__file__", "__doc__", "__package__", "__spec__", "__loader__", "__builtins__",
    "__annotations__", "__class__", "__path__", "__debug__",
}  # fmt: skip
"""Names that need no binding."""

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
TRIES: tuple[type[ast.Try], ...] = (ast.Try, getattr(ast, "TryStar", ast.Try))
"""`try` with `except`, and with `except*` (Python 3.11)."""


@dataclass
class Scope:
    """One namespace."""

    number: int
    kind: str
    """`module`, `function`, `class`, `comprehension`, or `types` (around what has type parameters)."""
    parent: Scope | None
    bound: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Use:
    """A name that is read."""

    name: str
    scope: Scope
    """Where it is read; `Statements.resolve` says who owns it."""
    node: ast.AST
    """The `ast.Name` (or the statement, for `del` and augmented targets)."""
    offset: int
    own: bool = False
    """True when the statement itself has given it a value by then, as in `if (n := f()) and n`."""


@dataclass
class Statement:
    """One `ast.stmt` and what it does itself, the statements inside it left out."""

    number: int
    """Position in pre-order, so that a statement's parts have larger numbers."""
    node: ast.stmt
    parent: int | None
    block: str
    """Field of the parent that holds it: `body`, `orelse`, `finalbody`, `handlers[0]`…"""
    scope: Scope
    """The namespace it runs in."""
    start: int
    end: int
    depth: int
    uses: list[Use] = field(default_factory=list)
    binds: list[tuple[str, Scope]] = field(default_factory=list)
    """Names it gives a value by itself (parameters of a function belong to the function)."""
    parts: list[int] = field(default_factory=list)
    """Statements directly inside it."""
    loops: tuple[int, ...] = ()
    """The loops of the same scope that it lies in."""

    def __hash__(self) -> int:
        return self.number


def blocks(node: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    """The lists of statements that a statement holds, named, in text order."""
    if isinstance(node, TRIES):
        yield "body", node.body
        for at, handler in enumerate(node.handlers):
            yield f"handlers[{at}]", handler.body
        yield "orelse", node.orelse
        yield "finalbody", node.finalbody
    elif isinstance(node, ast.Match):
        for at, case in enumerate(node.cases):
            yield f"cases[{at}]", case.body
    else:
        for name in ("body", "orelse"):
            part = getattr(node, name, None)
            if isinstance(part, list):
                yield name, part


def every_argument(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters of a function, in text order."""
    found = [*arguments.posonlyargs, *arguments.args]
    if arguments.vararg:
        found.append(arguments.vararg)
    found += arguments.kwonlyargs
    if arguments.kwarg:
        found.append(arguments.kwarg)
    return found
