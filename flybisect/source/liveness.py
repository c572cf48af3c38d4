"""Definitions that nothing reads."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from flybisect.source.cut import Cut
from flybisect.source.effects import Effects
from flybisect.source.elements import span
from flybisect.source.scopes import Key, Statement, Statements

_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


class Liveness:
    """Says of one script what nothing reads, once a cut is made or as it stands. `needed`: statements that
    are of use whatever reads them."""

    def __init__(self, table: Statements, needed: frozenset[int] = frozenset()) -> None:
        self._table = table
        self._needed = needed
        self.reads = [tuple(_read(table, entry)) for entry in table.all]
        """By statement: the variables it reads, with the offset of each read."""
        effects = Effects(table)
        self.defined = [
            tuple(_defined(table, entry)) if _defines_only(entry) and not effects.has(entry) else ()
            for entry in table.all
        ]
        """By statement: the variables that a definition gives a value; empty for what has an effect."""
        self.holders: list[frozenset[int]] = []
        """By statement: the functions and classes around it that may go unread."""
        for entry in table.all:
            around = frozenset[int]() if entry.parent is None else self.holders[entry.parent]
            if entry.parent is not None and self.defined[entry.parent]:
                around |= {entry.parent}
            self.holders.append(around)

    def unread(self, cut: Cut | None = None) -> list[int]:
        """Assignments, imports and functions that nothing with an effect reads once a closed cut is made.

        Outermost statements, in text order. What reads one another alone is among them, as
        `total = total + x` where no other statement reads `total`. A store into an attribute or an
        element has an effect and is not among them, nor a call that launches, nor a field of a class.
        """
        return self._outermost(_Marked(self._table, self, cut or Cut(), self._needed).dead)

    def with_unread(self, cut: Cut) -> Cut:
        """A closed cut together with what nothing reads any more because of it."""
        dead = _Marked(self._table, self, cut, self._needed.union(self.ends)).dead
        parts = frozenset(part for number in self._outermost(dead) for part in self._table.subtree(number))
        return Cut(cut.statements | parts, cut.elements, cut.edits, cut.lost)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """What is unread and read by nothing else that is; of statements that read one another alone the
        last. All that is unread goes with these, and while they stay, what they read is of use to them."""
        found: set[int] = set()
        while dead := _Marked(self._table, self, Cut(), self._needed | found).dead:
            outermost = self._outermost(dead)
            found |= set(outermost) - self._read_among(outermost) or {outermost[-1]}
        return tuple(sorted(found))

    def _outermost(self, dead: set[int]) -> list[int]:
        return [number for number in sorted(dead) if self.holders[number].isdisjoint(dead)]

    def _read_among(self, numbers: list[int]) -> set[int]:
        """Those that others of them read, or statements inside of others."""
        binders: dict[Key, set[int]] = defaultdict(set)
        for number in numbers:
            for key in self.defined[number]:
                binders[key].add(number)
        read: set[int] = set()
        for number in numbers:
            for part in self._table.subtree(number):
                for key, _ in self.reads[part]:
                    read |= binders.get(key, set()) - {number}
        return read


class _Marked:
    """What statements with an effect reach, by the variables that they read, and what they do not. `kept`:
    definitions that are taken for such statements."""

    def __init__(
        self, table: Statements, facts: Liveness, cut: Cut, kept: frozenset[int] = frozenset()
    ) -> None:
        self._table = table
        self._facts = facts
        self._gone = cut.statements
        self._spans = [(edit.start, edit.end) for edit in cut.edits]
        self._spans += [span(table.source, element.owner, element.node) for element in cut.elements]
        left = [entry for entry in table.all if entry.number not in cut.statements]
        definitions = [
            entry
            for entry in left
            if facts.defined[entry.number] and entry.number not in kept and not _inside(entry, self._spans)
        ]
        self.dead = {entry.number for entry in definitions}
        self._binders: dict[Key, list[int]] = defaultdict(list)
        for entry in definitions:
            for key in facts.defined[entry.number]:
                self._binders[key].append(entry.number)
        self._read: set[Key] = set()
        written = {word for edit in cut.edits for word in edit.words}
        self._waiting = [key for key in self._binders if key[1] in written]
        for entry in left:
            if entry.number not in self.dead and self._runs(entry.number):
                self._keep(entry.number)
        while self._waiting:
            self._reach(self._waiting.pop())

    def _runs(self, number: int) -> bool:
        """False inside of a function or class that nothing has reached."""
        return self._facts.holders[number].isdisjoint(self.dead)

    def _reach(self, key: Key) -> None:
        if key in self._read:
            return
        self._read.add(key)
        for binder in self._binders.get(key, ()):
            if binder in self.dead and self._runs(binder):
                self._revive(binder)

    def _revive(self, number: int) -> None:
        """Takes a definition for read, and a function's body for run."""
        self.dead.discard(number)
        self._keep(number)
        for part in self._table.subtree(number):
            if part == number or part in self._gone or not self._runs(part):
                continue
            if part not in self.dead:
                self._keep(part)
            elif not self._read.isdisjoint(self._facts.defined[part]):
                self._revive(part)

    def _keep(self, number: int) -> None:
        for key, offset in self._facts.reads[number]:
            if key not in self._read and not any(start <= offset < end for start, end in self._spans):
                self._waiting.append(key)


def _read(table: Statements, entry: Statement) -> Iterator[tuple[Key, int]]:
    for use in entry.uses:
        key = table.resolve(use.name, use.scope)
        if key is not None:
            yield key, use.offset


def _inside(entry: Statement, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= entry.start and entry.end <= end for start, end in spans)


def _defined(table: Statements, entry: Statement) -> Iterator[Key]:
    """The variables that a definition gives a value in its own scope."""
    if isinstance(entry.node, ast.AugAssign) and isinstance(entry.node.target, ast.Name):
        yield table.owner(entry.node.target.id, entry.scope)
    yield from (table.owner(name, scope) for name, scope in entry.binds if scope is entry.scope)


def _defines_only(entry: Statement) -> bool:
    node = entry.node
    if entry.scope.kind == "class" or (isinstance(node, ast.AnnAssign) and node.value is None):
        return False  # A field or a declaration, read through the class or by a checker.
    if isinstance(node, ast.ImportFrom) and (node.module == "__future__" or node.names[0].name == "*"):
        return False
    if isinstance(node, ast.Assign):
        return all(_plain(target) for target in node.targets)
    if isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        return isinstance(node.target, ast.Name)
    return isinstance(node, (ast.Import, ast.ImportFrom, *_DEFINITIONS))


def _plain(target: ast.expr) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(_plain(element) for element in target.elts)
    return isinstance(target, ast.Name)
