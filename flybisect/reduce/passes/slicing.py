"""Everything outside the backward slice of the operation that the compiler names in its error."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.expressions import modules, root_name
from flybisect.source.scopes import Key, Statement, Statements

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """The narrow slice (definitions alone), then one with what writes into the objects it uses."""
    if facts.failing_line is None:
        return []
    failing = table.at_line(facts.failing_line)
    if failing is None:
        return []
    found = []
    for rank, writers in enumerate((False, True)):
        kept = backward_slice(table, failing, writers)
        gone = frozenset(entry.number for entry in table.all) - kept
        if gone:
            found.append(Hint(f"slice {writers} {len(table.all)}", Cut(statements=gone), rank))
    return found


def backward_slice(table: Statements, failing: Statement, writers: bool) -> frozenset[int]:
    """The failing statement, what it needs to be reached, and what defines the names they use.

    With `writers`, calls and stores that are given one of those names belong to it as well, since
    they may fill a tensor that is read later; and so do all calls of the functions in it.
    """
    slicing = _Slicing(table, writers)
    queue = [failing]
    while queue:
        entry = queue.pop()
        if entry.number not in slicing.kept:
            slicing.kept.add(entry.number)
            queue += slicing.needed(entry)
        if writers and not queue:
            queue += _writers(table, slicing.kept)
    return frozenset(slicing.kept)


class _Slicing:
    """What statements of one script need, by names and by the names of attributes."""

    def __init__(self, table: Statements, all_calls: bool) -> None:
        self.kept: set[int] = set()
        self._table = table
        self._all_calls = all_calls
        self._imported = modules(table)
        self._readers: dict[str, list[Statement]] = defaultdict(list)
        """Attribute → statements that read it of any object."""
        self._givers: dict[str, list[Statement]] = defaultdict(list)
        """Attribute → stores into it, methods and fields of classes."""
        for entry in table.all:
            for node in self._attributes(entry):
                if isinstance(node.ctx, ast.Load):
                    self._readers[node.attr].append(entry)
                else:
                    self._givers[node.attr].append(entry)
            if entry.scope.kind == "class":
                for name, _ in entry.binds:
                    self._givers[name].append(entry)

    def _attributes(self, entry: Statement) -> Iterator[ast.Attribute]:
        for node in own_nodes(entry.node):
            if isinstance(node, ast.Attribute) and root_name(node) not in self._imported:
                yield node

    def needed(self, entry: Statement) -> Iterator[Statement]:
        """What has to be there for a statement to mean what it means, and to be reached."""
        table = self._table
        yield from (table.all[number] for number in table.ancestors(entry.number))
        for use in entry.uses:
            key = table.resolve(use.name, use.scope)
            if key is not None:
                yield from table.binders.get(key, ())
        for node in self._attributes(entry):
            if isinstance(node.ctx, ast.Load):
                yield from self._givers.get(node.attr, ())
        if isinstance(entry.node, FUNCTIONS):
            yield from self._calls(entry, entry.node.name)
            yield from self._returns(entry)
        elif isinstance(entry.node, ast.ClassDef):
            yield from self._made_with(entry)

    def _calls(self, entry: Statement, name: str) -> Iterator[Statement]:
        """The statements that call a function; none where one of them is kept for another reason."""
        users = [user for user, _ in self._table.users.get(self._table.owner(name, entry.scope), ())]
        if entry.scope.kind == "class":
            users += self._readers.get(name, ())
        if self._all_calls or not any(user.number in self.kept for user in users):
            for user in users:
                yield user
                yield from _launches(self._table, user)

    def _returns(self, entry: Statement) -> Iterator[Statement]:
        for number in self._table.subtree(entry.number):
            part = self._table.all[number]
            if isinstance(part.node, ast.Return) and part.scope is not entry.scope:
                yield part

    def _made_with(self, entry: Statement) -> Iterator[Statement]:
        """The fields of a class, and the methods that Python calls by itself."""
        for number in entry.parts:
            part = self._table.all[number]
            if not isinstance(part.node, FUNCTIONS):
                yield part
            elif part.node.name.startswith("__"):
                yield part
                yield from (self._table.all[inner] for inner in part.parts if self._calls_super(inner))

    def _calls_super(self, number: int) -> bool:
        return any(use.name == "super" for use in self._table.all[number].uses)


def _launches(table: Statements, caller: Statement) -> list[Statement]:
    """What is done with a call's result where a name was given to it, as `kernel.launch(…)`."""
    if not isinstance(caller.node, ast.Assign):
        return []
    keys = [table.owner(name, scope) for name, scope in caller.binds]
    return [user for key in keys for user, _ in table.users.get(key, ()) if isinstance(user.node, ast.Expr)]


def _writers(table: Statements, kept: set[int]) -> list[Statement]:
    names: set[Key] = set()
    for number in kept:
        for use in table.all[number].uses:
            key = table.resolve(use.name, use.scope)
            # Whatever touches a module (`fx`, `torch`) would otherwise count as touching its state.
            if key is not None and not all(
                isinstance(b.node, (ast.Import, ast.ImportFrom, ast.FunctionDef))
                for b in table.binders.get(key, [])
            ):
                names.add(key)
    return [
        entry
        for entry in table.all
        if entry.number not in kept
        and _has_effect(entry.node)
        and any(table.resolve(use.name, use.scope) in names for use in entry.uses)
    ]


def _has_effect(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return any(not isinstance(target, ast.Name) for target in node.targets)
    return isinstance(node, (ast.Expr, ast.AugAssign))


PASS = Pass("slice", "what the failing operation does not depend on", hints, phase=PassPhase.FIRST)
