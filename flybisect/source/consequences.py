"""What goes with a cut, told quickly and nearly.

`cut.close` and `Liveness.with_unread` say it exactly, and look at the whole script for each cut. A search
that weighs hundreds of cuts against one another needs less: here only the neighbours of each statement that
goes are looked at, those that read what it binds and those that bind what it reads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from flybisect.source.cut import Cut
from flybisect.source.liveness import Liveness
from flybisect.source.scopes import Key, Statements

_KEPT_EMPTY = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Consequences:
    """Of cuts of one script."""

    def __init__(self, table: Statements, liveness: Liveness) -> None:
        self._table = table
        self._liveness = liveness
        self._bound = [
            tuple({table.owner(name, scope) for name, scope in entry.binds}) for entry in table.all
        ]

    def of(self, cut: Cut) -> frozenset[int]:
        """The statements that go with it: what reads what it binds, and what nothing reads any more."""
        table, gone = self._table, set[int]()
        replaced = {part for number in cut.bypassed for part in table.subtree(number)}
        waiting = [*cut.statements, *cut.bypassed]
        while waiting:
            fresh = [part for part in table.subtree(waiting.pop()) if part not in gone]
            gone.update(fresh)
            for number in fresh:
                if number not in replaced:
                    waiting += self._readers(number, gone)
                waiting += self._unread(number, gone)
                parent = table.all[number].parent
                if parent is not None and parent not in gone and self._is_empty(parent, gone):
                    waiting.append(parent)
        return frozenset(gone)

    def _readers(self, number: int, gone: set[int]) -> Iterable[int]:
        """Those that read a variable which nothing binds any more."""
        for key in self._bound[number]:
            if all(binder.number in gone for binder in self._table.binders.get(key, ())):
                for user, _ in self._table.users.get(key, ()):
                    if user.number not in gone:
                        yield user.number

    def _unread(self, number: int, gone: set[int]) -> Iterable[int]:
        """Definitions without an effect whose last reader is gone."""
        for key, _ in self._liveness.reads[number]:
            for binder in self._table.binders.get(key, ()):
                defined = self._liveness.defined[binder.number]
                if binder.number not in gone and key in defined:
                    if all(self._is_unread(each, gone) for each in defined):
                        yield binder.number

    def _is_unread(self, key: Key, gone: set[int]) -> bool:
        return all(user.number in gone for user, _ in self._table.users.get(key, ()))

    def _is_empty(self, number: int, gone: set[int]) -> bool:
        entry = self._table.all[number]
        return not isinstance(entry.node, _KEPT_EMPTY) and all(part in gone for part in entry.parts)
