"""Who binds and who uses each name: a table of a script's statements.

Python's own rules (reference manual, "Naming and binding"): a name bound anywhere in a function
is local to it; class bodies are skipped by the functions in them; comprehensions and lambdas
are scopes of their own, a walrus inside a comprehension binds outside of it.
"""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from flybisect.script.source import Source

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


class Statements:
    """All statements of a script, with the variables they bind and use."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.all: list[Statement] = []
        self.by_node: dict[ast.stmt, Statement] = {}
        self.module = Scope(0, "module", None)
        self.scopes: list[Scope] = [self.module]
        self.function_scope: dict[ast.AST, Scope] = {}
        self.star_imports: list[int] = []
        self._block(source.tree.body, None, "body", self.module, 0, ())

    # -- building ------------------------------------------------------------------------------

    def _new_scope(self, kind: str, parent: Scope, node: ast.AST) -> Scope:
        scope = Scope(len(self.scopes), kind, parent)
        self.scopes.append(scope)
        self.function_scope[node] = scope
        return scope

    def _block(
        self,
        body: list[ast.stmt],
        parent: int | None,
        block: str,
        scope: Scope,
        depth: int,
        loops: tuple[int, ...],
    ) -> None:
        for node in body:
            self._statement(node, parent, block, scope, depth, loops)

    def _statement(
        self,
        node: ast.stmt,
        parent: int | None,
        block: str,
        scope: Scope,
        depth: int,
        loops: tuple[int, ...],
    ) -> None:
        start, end = self.source.span(node)
        entry = Statement(len(self.all), node, parent, block, scope, start, end, depth, loops=loops)
        self.all.append(entry)
        self.by_node[node] = entry
        if parent is not None:
            self.all[parent].parts.append(entry.number)
        _Header(self, entry).read(node)
        inner, within = scope, loops
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner, within = self.function_scope[node], ()
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            within = (*loops, entry.number)
        for name, part in blocks(node):
            self._block(part, entry.number, name, inner, depth + 1, within)

    # -- asking --------------------------------------------------------------------------------

    def resolve(self, name: str, scope: Scope) -> Key | None:
        """The variable that a read of `name` in `scope` means; None for a builtin or an unknown one."""
        if name in scope.globals:
            return (0, name) if name in self.module.bound else None
        at: Scope | None = scope
        first = True
        while at is not None:
            visible = first or at.kind != "class"
            if visible and name in at.bound and name not in at.nonlocals and name not in at.globals:
                return (at.number, name)
            first = first and at.kind == "types"
            at = at.parent
        return None

    @cached_property
    def users(self) -> dict[Key, list[tuple[Statement, Use]]]:
        """Variable → the statements that read it."""
        found: dict[Key, list[tuple[Statement, Use]]] = defaultdict(list)
        for entry in self.all:
            for use in entry.uses:
                key = self.resolve(use.name, use.scope)
                if key is not None:
                    found[key].append((entry, use))
        return dict(found)

    @cached_property
    def binders(self) -> dict[Key, list[Statement]]:
        """Variable → the statements that give it a value (an augmented assignment does not count)."""
        found: dict[Key, list[Statement]] = defaultdict(list)
        for entry in self.all:
            for name, scope in entry.binds:
                key = self.owner(name, scope)
                if entry not in found[key]:
                    found[key].append(entry)
        return dict(found)

    @cached_property
    def results(self) -> list[tuple[Statement, list[Statement], list[tuple[Statement, Use]]]]:
        """Functions that return a value: their `return`s with one, and the reads of the name in calls
        whose result is used."""
        found = []
        for entry in self.all:
            if not isinstance(entry.node, ast.FunctionDef) or entry.node.decorator_list:
                continue
            scope = self.function_scope[entry.node]
            returns = [
                each
                for each in self.all
                if each.scope is scope and isinstance(each.node, ast.Return) and each.node.value is not None
            ]
            users = self.users.get(self.owner(entry.node.name, entry.scope), ())
            readers = [(user, use) for user, use in users if _uses_result(user.node, use.node)]
            if returns and readers:
                found.append((entry, returns, readers))
        return found

    def owner(self, name: str, scope: Scope) -> Key:
        """The variable that a binding of `name` in `scope` is."""
        if name in scope.globals:
            return (0, name)
        if name in scope.nonlocals:
            at = scope.parent
            while at is not None:
                if at.kind == "function" and name in at.bound and name not in at.nonlocals:
                    return (at.number, name)
                at = at.parent
        return (scope.number, name)

    def subtree(self, number: int) -> Iterator[int]:
        """The statement and all inside it."""
        yield number
        for part in self.all[number].parts:
            yield from self.subtree(part)

    def ancestors(self, number: int) -> Iterator[int]:
        """From its parent outward."""
        parent = self.all[number].parent
        while parent is not None:
            yield parent
            parent = self.all[parent].parent

    def at_line(self, line: int) -> Statement | None:
        """The innermost statement that covers a 1-based line of the script."""
        lines = self.source.line_of
        found = None
        for entry in self.all:
            if lines(entry.start) <= line <= lines(max(entry.start, entry.end - 1)):
                found = entry
        return found

    def unbound(self, removed: frozenset[int] | set[int] = frozenset()) -> Iterator[tuple[Statement, Use]]:
        """Reads in the statements left that no statement left gives a value.

        In one scope a value has to stand before its use in the text, or in a loop around both.
        """
        for entry in self.all:
            if entry.number in removed:
                continue
            for use in entry.uses:
                if not self._bound(entry, use, removed):
                    yield entry, use

    def _bound(self, entry: Statement, use: Use, removed: frozenset[int] | set[int]) -> bool:
        key = self.resolve(use.name, use.scope)
        if key is None:
            return use.name in IMPLICIT or any(star not in removed for star in self.star_imports)
        if self.scopes[key[0]].kind in ("comprehension", "types"):
            return True
        left = [b for b in self.binders.get(key, ()) if b.number not in removed]
        if not left:
            # Bound only by an augmented assignment, or declared without a value.
            return key[0] == 0 and use.name in IMPLICIT
        if key[0] != entry.scope.number or use.scope is not entry.scope:
            return True
        if any(self._before(binder, entry, use) for binder in left):
            return True
        # Module and class bodies fall back to what is outside while they have not bound it yet.
        if use.scope.kind == "class" and any(b.number not in removed for b in self._of_module(use.name)):
            return True
        return use.scope.kind != "function" and use.name in IMPLICIT

    def _of_module(self, name: str) -> list[Statement]:
        return self.binders.get((0, name), [])

    @staticmethod
    def _before(binder: Statement, user: Statement, use: Use) -> bool:
        if binder is user:
            return use.own
        if binder.start < user.start:
            return True
        return bool(set(binder.loops) & set(user.loops))


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


def _uses_result(statement: ast.stmt, name: ast.AST) -> bool:
    """True for a call of the name that is more than a statement of its own."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        if statement.value.func is name:
            return False
    return any(isinstance(node, ast.Call) and node.func is name for node in ast.walk(statement))


class _Header(ast.NodeVisitor):
    """Reads what a statement itself uses and binds; statements inside it are not entered.

    In the order in which Python does, so that it is known which reads come before a binding.
    """

    def __init__(self, table: Statements, entry: Statement) -> None:
        self.table = table
        self.entry = entry
        self.scope = entry.scope

    def read(self, node: ast.stmt) -> None:
        for child in ast.iter_child_nodes(node) if not self._special(node) else ():
            if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                self.visit(child)
            elif isinstance(child, ast.ExceptHandler):
                if child.type is not None:
                    self.visit(child.type)
                if child.name:
                    self._bind(child.name)
            elif isinstance(child, ast.match_case):
                self.visit(child.pattern)
                if child.guard is not None:
                    self.visit(child.guard)

    def _special(self, node: ast.stmt) -> bool:
        """Statements whose header is more than its child expressions. True when all was read here."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for decorator in node.decorator_list:
                self.visit(decorator)
            self._function(node)
            self._bind(node.name)
        elif isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                self.visit(decorator)
            scope = self._type_scope(node)
            self._within(scope, [*node.bases, *(keyword.value for keyword in node.keywords)])
            self.table._new_scope("class", scope, node)
            self._bind(node.name)
        elif type(node).__name__ == "TypeAlias":  # Python 3.12
            self._within(self._type_scope(node), [node.value])  # type: ignore[attr-defined]
            self.visit(node.name)  # type: ignore[attr-defined]
        elif isinstance(node, ast.Assign):
            self.visit(node.value)
            for target in node.targets:
                self.visit(target)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.visit(node.iter)
            self.visit(node.target)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if alias.name == "*":
                    self.table.star_imports.append(self.entry.number)
                else:
                    self._bind(alias.asname or alias.name.split(".")[0])
        elif isinstance(node, ast.Global):
            self.scope.globals |= set(node.names)
            self.table.module.bound |= set(node.names)
        elif isinstance(node, ast.Nonlocal):
            self.scope.nonlocals |= set(node.names)
        elif isinstance(node, ast.AugAssign):
            self.visit(node.value)
            if isinstance(node.target, ast.Name):
                self._use(node.target.id, node.target)
                self.scope.bound.add(node.target.id)
            else:
                self.visit(node.target)
        elif isinstance(node, ast.AnnAssign):
            self.visit(node.annotation)
            if node.value is not None:
                self.visit(node.value)
                self.visit(node.target)
            elif isinstance(node.target, ast.Name):
                self.scope.bound.add(node.target.id)
            else:
                self.visit(node.target)
        else:
            return False
        return True

    def _function(self, node: FunctionNode) -> None:
        """Defaults and annotations are read outside, parameters are bound inside."""
        arguments = node.args
        for default in [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]:
            self.visit(default)
        around = self._type_scope(node)
        inner = self.table._new_scope("function", around, node)
        for argument in every_argument(arguments):
            if argument.annotation is not None:
                self._within(around, [argument.annotation])
            inner.bound.add(argument.arg)
            self.entry.binds.append((argument.arg, inner))
        returns = getattr(node, "returns", None)
        if returns is not None:
            self._within(around, [returns])
        if isinstance(node, ast.Lambda):
            self._within(inner, [node.body])

    def _type_scope(self, node: ast.AST) -> Scope:
        """Where type parameters live (`def f[T]()`, Python 3.12); the scope itself where there are none.

        A `type` statement has one in any case, since its value is read later.
        """
        parameters = getattr(node, "type_params", [])
        if not parameters and type(node).__name__ != "TypeAlias":
            return self.scope
        scope = self.table._new_scope("types", self.scope, parameters[0] if parameters else node)
        scope.bound |= {parameter.name for parameter in parameters}
        for parameter in parameters:
            parts = [getattr(parameter, name, None) for name in ("bound", "default_value")]
            self._within(scope, [part for part in parts if part is not None])
        return scope

    def _within(self, scope: Scope, nodes: list[ast.expr]) -> None:
        outer, self.scope = self.scope, scope
        for node in nodes:
            self.visit(node)
        self.scope = outer

    def _bind(self, name: str) -> None:
        scope = self.scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        scope.bound.add(name)
        self.entry.binds.append((name, scope))

    def _use(self, name: str, node: ast.AST) -> None:
        at = self.table.source.span(node)[0]
        own = any(bound == name and scope is self.scope for bound, scope in self.entry.binds)
        self.entry.uses.append(Use(name, self.scope, node, at, own))

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._bind(node.id)
        else:
            self._use(node.id, node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._bind(node.target.id)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self.generic_visit(node)
        if node.name:
            self._bind(node.name)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.generic_visit(node)
        if node.rest:
            self._bind(node.rest)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        inner = self.table._new_scope("comprehension", self.scope, node)
        for at, generator in enumerate(node.generators):
            self._within(self.scope if at == 0 else inner, [generator.iter])
            for target in ast.walk(generator.target):
                if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store):
                    inner.bound.add(target.id)
                elif isinstance(target, ast.Name):
                    self._within(inner, [target])
            self._within(inner, generator.ifs)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._within(inner, results)

    visit_ListComp = _comprehension
    visit_SetComp = _comprehension
    visit_DictComp = _comprehension
    visit_GeneratorExp = _comprehension


def qualified(table: Statements, entry: Statement) -> str:
    """Dotted names of the functions and classes that a statement runs in."""
    names = []
    for number in table.ancestors(entry.number):
        node = table.all[number].node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.append(node.name)
    return ".".join(reversed(names))


def every_argument(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters of a function, in text order."""
    found = [*arguments.posonlyargs, *arguments.args]
    if arguments.vararg:
        found.append(arguments.vararg)
    found += arguments.kwonlyargs
    if arguments.kwarg:
        found.append(arguments.kwarg)
    return found
