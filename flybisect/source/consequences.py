"""What goes with a cut, told quickly and nearly.

`cut.close` and `Liveness.with_unread` say it exactly, and look at the whole script for each cut. A search
that weighs hundreds of cuts against one another needs less: here only the neighbours of each statement
that goes are looked at, those that read what it binds and those that bind what it reads.
"""

from __future__ import annotations

import ast
import bisect
from collections.abc import Iterable, Iterator

from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.liveness import Liveness
from flybisect.source.scopes import Key, Statements, Use

_KEPT_EMPTY = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Consequences:
    """Of cuts of one script."""

    def __init__(self, table: Statements, liveness: Liveness) -> None:
        self._table = table
        self._liveness = liveness
        self._bound = [
            tuple({table.owner(name, scope) for name, scope in entry.binds}) for entry in table.all
        ]
        self._reads = sorted((offset, key) for reads in liveness.reads for key, offset in reads)
        self._offsets = [offset for offset, _ in self._reads]

    def of(self, cut: Cut) -> frozenset[int]:
        """The statements that go with it: what reads what it binds, and what nothing reads any more."""
        table = self._table
        going = _Going(cut)
        replaced = {part for number in cut.bypassed for part in table.subtree(number)}
        waiting = [*cut.statements, *cut.bypassed]
        for edit in cut.edits:
            waiting += self._unread((key for key in self._written_over(edit)), going)
        while waiting:
            fresh = [part for part in table.subtree(waiting.pop()) if part not in going.statements]
            going.statements.update(fresh)
            for number in fresh:
                if number not in replaced:
                    waiting += self._readers(number, going)
                waiting += self._unread((key for key, _ in self._liveness.reads[number]), going)
                parent = table.all[number].parent
                if parent is not None and self._is_empty(parent, going):
                    waiting.append(parent)
        return frozenset(going.statements)

    def _written_over(self, edit: Edit) -> Iterator[Key]:
        """What stands in the text that an edit replaces."""
        first, last = (bisect.bisect_left(self._offsets, at) for at in (edit.start, edit.end))
        yield from (key for _, key in self._reads[first:last])

    def _readers(self, number: int, going: _Going) -> Iterable[int]:
        """Those that read a variable which nothing binds any more."""
        for key in self._bound[number]:
            if all(binder.number in going.statements for binder in self._table.binders.get(key, ())):
                for user, use in self._table.users.get(key, ()):
                    if user.number not in going.statements and not going.loses(use):
                        yield user.number

    def _unread(self, keys: Iterable[Key], going: _Going) -> Iterable[int]:
        """Definitions without an effect whose last reader goes."""
        for key in keys:
            for binder in self._table.binders.get(key, ()):
                defined = self._liveness.defined[binder.number]
                if binder.number not in going.statements and key in defined:
                    if all(self._is_unread(each, going) for each in defined):
                        yield binder.number

    def _is_unread(self, key: Key, going: _Going) -> bool:
        return all(
            user.number in going.statements or going.loses(use)
            for user, use in self._table.users.get(key, ())
        )

    def _is_empty(self, number: int, going: _Going) -> bool:
        entry = self._table.all[number]
        if number in going.statements or isinstance(entry.node, _KEPT_EMPTY):
            return False
        return all(part in going.statements for part in entry.parts)


class _Going:
    """What one cut takes, as far as it is known."""

    def __init__(self, cut: Cut) -> None:
        self.statements: set[int] = set()
        self._edits = cut.edits

    def loses(self, use: Use) -> bool:
        """Whether an edit takes the place where a variable is read, and does not read it itself."""
        return any(each.start <= use.offset < each.end and use.name not in each.words for each in self._edits)
