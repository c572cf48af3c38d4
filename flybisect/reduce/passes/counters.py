"""Counters that go along with loops: `k = 0` and `k += 1`, by what they are."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.rounds import integer, rounds
from flybisect.source.scopes import Key, Statement, Statements, qualified


@dataclass(frozen=True)
class _Sum:
    """`constant + factor * counter + …`."""

    constant: int
    factors: Mapping[str, int] = field(default_factory=dict)

    def plus(self, number: int) -> _Sum:
        return _Sum(self.constant + number, self.factors)

    def within(self, counter: str, factor: int) -> _Sum:
        return _Sum(self.constant, {**self.factors, counter: factor}) if factor else self

    @property
    def text(self) -> str:
        """Without brackets around it; in place of a name it may need them."""
        terms = [f"{name} * {factor}" if factor != 1 else name for name, factor in self.factors.items()]
        if self.constant or not terms:
            terms.append(str(self.constant))
        return " + ".join(terms).replace("+ -", "- ")


class _Unknown(Exception):
    """The counter's value can't be said."""


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For each variable that begins as an integer and is only ever added to, in its block and in loops of a
    known number of rounds in it: its value in place of each read."""
    found: list[Hint] = []
    for entry in table.all:
        node = entry.node
        if (
            not isinstance(node, ast.Assign)
            or len(node.targets) != 1
            or not isinstance(node.targets[0], ast.Name)
        ):
            continue
        start = integer(node.value)
        key = table.owner(node.targets[0].id, entry.scope)
        if start is None or table.binders.get(key) != [entry] or entry.scope.kind == "class":
            continue
        cut = _values(table, entry, key, start)
        if cut is not None:
            found.append(Hint(f"counter {qualified(table, entry)}: {key[1]}", cut))
    return found


def _values(table: Statements, entry: Statement, key: Key, start: int) -> Cut | None:
    walk = _Walk(table, key)
    try:
        walk.block([each for each in _siblings(table, entry) if each.start > entry.start], _Sum(start))
    except _Unknown:
        return None
    users = {user.number for user, _ in table.users.get(key, ())}
    if not walk.added or users - walk.seen:
        return None
    return Cut(frozenset({entry.number, *walk.added}), edits=frozenset(walk.edits))


def _siblings(table: Statements, entry: Statement) -> list[Statement]:
    return [each for each in table.all if (each.parent, each.block) == (entry.parent, entry.block)]


class _Walk:
    """Goes through statements as Python does, with the counter's value."""

    def __init__(self, table: Statements, key: Key) -> None:
        self._table = table
        self._key = key
        self._users = {
            number: [use for user, use in table.users.get(key, ()) if user.number == number]
            for number in {user.number for user, _ in table.users.get(key, ())}
        }
        self.edits: set[Edit] = set()
        self.added: set[int] = set()
        """Statements that add to the counter."""
        self.seen: set[int] = set()
        """Statements that read it or add to it."""

    def block(self, statements: Sequence[Statement], value: _Sum) -> _Sum:
        """The value behind them. Raises `_Unknown`."""
        for entry in statements:
            inside = {n for n in self._table.subtree(entry.number) if n in self._users}
            if not inside:
                continue
            added = self._added(entry)
            if added is not None:
                self.added.add(entry.number)
                self.seen.add(entry.number)
                value = value.plus(added)
            elif any(self._added(self._table.all[number]) is not None for number in inside):
                value = self._loop(entry, value)
            else:
                for number in inside:
                    self._read(self._table.all[number], value)
        return value

    def _loop(self, entry: Statement, value: _Sum) -> _Sum:
        node = entry.node
        if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name) or node.orelse:
            raise _Unknown
        times, counter = rounds(node.iter), node.target.id
        if times is None or times != range(len(times)) or _leaves(node) or entry.number in self._users:
            raise _Unknown
        inside = [self._table.all[n] for n in self._table.subtree(entry.number) if n != entry.number]
        if counter in value.factors or any(name == counter for part in inside for name, _ in part.binds):
            raise _Unknown
        parts = [self._table.all[number] for number in entry.parts]
        step = _Walk(self._table, self._key).block(parts, _Sum(0)).constant
        self.block(parts, value.within(counter, step))
        return value.plus(step * len(times))

    def _added(self, entry: Statement) -> int | None:
        node = entry.node
        if not isinstance(node, ast.AugAssign) or not isinstance(node.target, ast.Name):
            return None
        if self._table.owner(node.target.id, entry.scope) != self._key:
            return None
        number = integer(node.value)
        if number is None or not isinstance(node.op, (ast.Add, ast.Sub)):
            raise _Unknown
        return number if isinstance(node.op, ast.Add) else -number

    def _read(self, entry: Statement, value: _Sum) -> None:
        self.seen.add(entry.number)
        source = self._table.source
        for use in self._users[entry.number]:
            end = use.offset + len(use.name)
            plain = isinstance(use.node, ast.Name) and isinstance(use.node.ctx, ast.Load)
            if not plain or source.text[use.offset : end] != use.name or use.scope.kind == "class":
                raise _Unknown
            here = use.scope is entry.scope or use.scope.kind == "comprehension"
            if entry.scope.number != self._key[0] or not here:
                raise _Unknown  # A function or lambda may be called later, when the value is another.
            for name in value.factors:
                if self._table.resolve(name, use.scope) != self._table.resolve(name, entry.scope):
                    raise _Unknown
            text = value.text
            bare = text.isdigit() or _is_index(entry, use.node)
            self.edits.add(Edit(use.offset, end, text if bare else f"({text})"))


def _is_index(entry: Statement, name: ast.AST) -> bool:
    """True for `a[k]`, where a sum needs no brackets."""
    return any(isinstance(node, ast.Subscript) and node.slice is name for node in ast.walk(entry.node))


def _leaves(loop: ast.For) -> bool:
    """True where a round may end early."""
    return any(isinstance(node, (ast.Break, ast.Continue, ast.Return, ast.Raise)) for node in ast.walk(loop))


PASS = Pass("counters", "counters that go along with loops, by what they are", hints)
