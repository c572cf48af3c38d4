"""Definitions that nothing reads."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from flybisect.script.cut import Cut
from flybisect.script.elements import span
from flybisect.script.scopes import Key, Statement, Statements

_WORD = re.compile(r"[^\W\d]\w*")
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def unread(table: Statements, cut: Cut | None = None) -> list[int]:
    """Assignments, imports and functions that nothing with an effect reads once a closed cut is made.

    Outermost statements, in text order. What reads one another alone is among them, as
    `total = total + x` where no other statement reads `total`. A store into an attribute or an
    element has an effect and is not among them, nor is a field of a class.
    """
    marked = _Marked(table, cut or Cut())
    return [
        entry.number
        for entry in table.all
        if entry.number in marked.dead and not any(a in marked.dead for a in table.ancestors(entry.number))
    ]


def with_unread(table: Statements, cut: Cut) -> Cut:
    """A closed cut together with what nothing reads any more because of it."""
    before = set(unread(table))
    more = {number for number in unread(table, cut) if number not in before}
    parts = frozenset(part for number in more for part in table.subtree(number))
    return Cut(cut.statements | parts, cut.elements, cut.edits, cut.lost)


class _Marked:
    """What statements with an effect reach, by the variables that they read, and what they do not."""

    def __init__(self, table: Statements, cut: Cut) -> None:
        self._table = table
        spans = [(edit.start, edit.end) for edit in cut.edits]
        spans += [span(table.source, element.owner, element.node) for element in cut.elements]
        self._spans = spans
        left = [entry for entry in table.all if entry.number not in cut.statements]
        definitions = [e for e in left if _defines_only(e) and not _inside(e, spans)]
        self.dead = {entry.number for entry in definitions}
        self._binders: dict[Key, list[Statement]] = defaultdict(list)
        for entry in definitions:
            for key in _defined(table, entry):
                self._binders[key].append(entry)
        self._read: set[Key] = set()
        written = {word for edit in cut.edits for word in _WORD.findall(edit.text)}
        self._waiting = [key for key in self._binders if key[1] in written]
        for entry in left:
            if entry.number not in self.dead and self._runs(entry):
                self._keep(entry)
        while self._waiting:
            self._reach(self._waiting.pop())

    def _runs(self, entry: Statement) -> bool:
        """False inside of a function or class that nothing has reached."""
        return not any(number in self.dead for number in self._table.ancestors(entry.number))

    def _reach(self, key: Key) -> None:
        if key in self._read:
            return
        self._read.add(key)
        for binder in self._binders.get(key, ()):
            if binder.number in self.dead and self._runs(binder):
                self._revive(binder)

    def _revive(self, entry: Statement) -> None:
        """Takes a definition for read, and a function's body for run."""
        self.dead.discard(entry.number)
        self._keep(entry)
        for number in self._table.subtree(entry.number):
            part = self._table.all[number]
            if number == entry.number or not self._runs(part):
                continue
            if number in self.dead:
                if not self._read.isdisjoint(_defined(self._table, part)):
                    self._revive(part)
            else:
                self._keep(part)

    def _keep(self, entry: Statement) -> None:
        for use in entry.uses:
            key = self._table.resolve(use.name, use.scope)
            if key is not None and not any(start <= use.offset < end for start, end in self._spans):
                self._waiting.append(key)


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
