"""Who binds and who uses each name: a table of a script's statements.

Python's own rules (reference manual, "Naming and binding"): a name bound anywhere in a function
is local to it; class bodies are skipped by the functions in them; comprehensions and lambdas
are scopes of their own, a walrus inside a comprehension binds outside of it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from flybisect.source.headers import Header
from flybisect.source.namespaces import (
    IMPLICIT,
    TRIES,
    Key,
    Scope,
    Statement,
    Use,
    blocks,
)
from flybisect.source.source import Source

__all__ = ["IMPLICIT", "TRIES", "Key", "Scope", "Statement", "Statements", "Use", "blocks", "qualified"]


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

    def new_scope(self, kind: str, parent: Scope, node: ast.AST) -> Scope:
        """A namespace that a statement opens, for whoever reads its header."""
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
        Header(self, entry).read(node)
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

    def outside_functions(self, entry: Statement) -> bool:
        """True where a statement runs once, as the script is read."""
        around = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return not any(isinstance(self.all[number].node, around) for number in self.ancestors(entry.number))

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
        at: Iterable[int]
        if removed.isdisjoint(self.star_imports):
            # Only reads of a name that something removed has bound can have become unbound.
            names = {name for number in removed for name, _ in self.all[number].binds}
            at = sorted(self._unbound.union(*(self._reads_of.get(name, ()) for name in names)))
        else:
            at = range(len(self._reads))
        for entry, use in (self._reads[each] for each in at):
            if entry.number not in removed and not self._bound(entry, use, removed):
                yield entry, use

    @cached_property
    def _reads(self) -> list[tuple[Statement, Use]]:
        return [(entry, use) for entry in self.all for use in entry.uses]

    @cached_property
    def _reads_of(self) -> dict[str, list[int]]:
        """Name → positions in `_reads`."""
        found: dict[str, list[int]] = defaultdict(list)
        for at, (_, use) in enumerate(self._reads):
            found[use.name].append(at)
        return dict(found)

    @cached_property
    def _unbound(self) -> frozenset[int]:
        """Positions in `_reads` of what the whole script reads unbound."""
        return frozenset(
            at for at, (entry, use) in enumerate(self._reads) if not self._bound(entry, use, frozenset())
        )

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


def _uses_result(statement: ast.stmt, name: ast.AST) -> bool:
    """True for a call of the name that is more than a statement of its own."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        if statement.value.func is name:
            return False
    return any(isinstance(node, ast.Call) and node.func is name for node in ast.walk(statement))


def qualified(table: Statements, entry: Statement) -> str:
    """Dotted names of the functions and classes that a statement runs in."""
    names = []
    for number in table.ancestors(entry.number):
        node = table.all[number].node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.append(node.name)
    return ".".join(reversed(names))
