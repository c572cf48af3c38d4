"""Where each variable of a module stands in its text, and what its import statements ask for."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from flybisect.source.flatten.modules import CleanedModule, absolute
from flybisect.source.scopes import (
    TRIES,
    Key,
    Scope,
    Statement,
    Statements,
)
from flybisect.source.source import Source

READS_BY_NAME = frozenset({"globals", "eval", "exec"})
"""Functions that find variables by what they are called."""
ENCLOSED = (ast.FunctionDef, ast.AsyncFunctionDef)
Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class Occurrence:
    """A variable's name in the text."""

    name: str
    start: int
    end: int
    scope: Scope
    """Where it is read or bound."""
    node: ast.AST
    """The `ast.Name`, or the statement that names it otherwise."""

    @property
    def reads(self) -> bool:
        return isinstance(self.node, ast.Name) and isinstance(self.node.ctx, ast.Load)


@dataclass(frozen=True)
class Site:
    """An import statement."""

    entry: Statement
    node: Import
    top: int
    """Position among the module's own statements of the one that holds it."""
    lazy: bool
    """Inside a function: it runs when that is called, if at all."""
    guarded: bool
    """In a `try` that goes on when it fails."""
    idle: bool
    """Below `if TYPE_CHECKING`: it never runs."""

    def base(self, names: Names) -> str:
        assert isinstance(self.node, ast.ImportFrom)
        return absolute(names.module, self.node)


class Names:
    """One module, with the places of its variables."""

    def __init__(self, cleaned: CleanedModule) -> None:
        self.cleaned = cleaned
        self.module = cleaned.module
        self.source = Source(cleaned.module.text)
        self.table = Statements(self.source)
        self.parents = {
            child: node for node in ast.walk(self.source.tree) for child in ast.iter_child_nodes(node)
        }
        self.bound = frozenset(name for scope, name in self.table.binders if scope == 0) | _augmented(
            self.table
        )
        self.sites = [site for entry in self.table.all for site in self._sites(entry)]
        self.at: dict[Key, list[Occurrence]] = defaultdict(list)
        """Occurrences of each variable, but for those in import statements."""
        self.free: dict[str, list[Occurrence]] = defaultdict(list)
        """Reads of what the module itself does not bind: builtins, and what `import *` brings."""
        self._locate()
        self.fixed = self._fixed()

    @property
    def name(self) -> str:
        return self.module.name

    def _sites(self, entry: Statement) -> Iterator[Site]:
        if not isinstance(entry.node, (ast.Import, ast.ImportFrom)):
            return
        above = [self.table.all[number].node for number in self.table.ancestors(entry.number)]
        outermost = above[-1] if above else entry.node
        inner: ast.stmt = entry.node
        guarded = False
        for node in above:
            guarded = guarded or (isinstance(node, TRIES) and bool(node.handlers) and inner in node.body)
            inner = node
        yield Site(
            entry=entry,
            node=entry.node,
            top=self.source.tree.body.index(outermost),
            lazy=any(isinstance(node, ENCLOSED) for node in above),
            guarded=guarded,
            idle=any(isinstance(node, ast.If) and _typing_only(node.test) for node in above),
        )

    def _locate(self) -> None:
        for entry in self.table.all:
            for use in entry.uses:
                found = self._occurrence(use.name, use.node, use.scope)
                key = self.table.resolve(use.name, use.scope)
                if key is None:
                    self.free[use.name].append(found)
                else:
                    self.at[key].append(found)
            known = {id(use.node) for use in entry.uses}
            for node in _stored(entry.node):
                if id(node) not in known:
                    key = self.table.owner(node.id, entry.scope)
                    self.at[key].append(self._occurrence(node.id, node, entry.scope))
            for name, start in self._named_otherwise(entry):
                key = self.table.owner(name, entry.scope)
                place = Occurrence(name, start, start + len(name), entry.scope, entry.node)
                self.at[key].append(place)

    def _occurrence(self, name: str, node: ast.AST, scope: Scope) -> Occurrence:
        start, end = self.source.span(node)
        return Occurrence(name, start, end, scope, node)

    def _named_otherwise(self, entry: Statement) -> Iterator[tuple[str, int]]:
        """Names that stand in a statement without being an expression."""
        node = entry.node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            start = self.source.offset(node.lineno, node.col_offset)
            match = re.compile(rf"(?:def|class)[\s\\]+({re.escape(node.name)})\b").search(
                self.source.text, start
            )
            if match is not None:
                yield node.name, match.start(1)
        elif isinstance(node, ast.Global):
            for match in re.finditer(r"\w+", self.source.segment(node)):
                if match[0] in node.names and match.start() >= len("global"):
                    yield match[0], entry.start + match.start()
        elif isinstance(node, TRIES):
            for handler in node.handlers:
                if handler.name is not None:
                    start, _ = self.source.span(handler)
                    match = re.compile(rf"\bas[\s\\]+({re.escape(handler.name)})\b").search(
                        self.source.text, start
                    )
                    if match is not None:
                        yield handler.name, match.start(1)

    def _fixed(self) -> str | None:
        """Why the module's variables have to keep their names; None where they need not."""
        for name in sorted(READS_BY_NAME):
            if self.free.get(name):
                return f"looks variables up by name ({name})"
        for entry in self.table.all:
            if isinstance(entry.node, ast.Match) and entry.scope.kind == "module":
                return "matches patterns in its own body"
        return None

    def single(self, name: str) -> bool:
        """True where one statement alone binds a variable of the module."""
        return len(self.table.binders.get((0, name), ())) == 1

    def rebinds(self, name: str) -> bool:
        """True where a variable of the module changes after the module has run, or is deleted."""
        for found in self.at.get((0, name), ()):
            if not found.reads and found.scope.kind != "module":
                return True
            if isinstance(found.node, ast.Name) and isinstance(found.node.ctx, ast.Del):
                return True
        return False

    def annotations(self) -> Iterator[ast.expr]:
        """Those that Python evaluates when there is no `from __future__ import annotations`."""
        for entry in self.table.all:
            node = entry.node
            if isinstance(node, ENCLOSED):
                arguments = node.args
                every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
                every += [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
                yield from (each.annotation for each in every if each.annotation is not None)
                if node.returns is not None:
                    yield node.returns
            elif isinstance(node, ast.AnnAssign) and entry.scope.kind != "function":
                yield node.annotation


def _augmented(table: Statements) -> frozenset[str]:
    """`x += 1` alone binds too, in a way, and so does a `global x` that nothing else follows."""
    return frozenset(table.module.bound)


def _typing_only(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    return name == "TYPE_CHECKING"


def _stored(statement: ast.stmt) -> Iterator[ast.Name]:
    """Names that a statement itself binds in its own scope, in text order or nearly so."""
    queue: list[ast.AST] = list(ast.iter_child_nodes(statement))
    while queue:
        node = queue.pop(0)
        if isinstance(node, ast.comprehension):
            queue += [node.iter, *node.ifs]
            continue
        if isinstance(node, (ast.stmt, ast.Lambda)):
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node
        elif isinstance(node, (ast.ExceptHandler, ast.match_case)):
            queue += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
        else:
            queue += list(ast.iter_child_nodes(node))
