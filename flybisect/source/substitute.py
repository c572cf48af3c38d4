"""What may stand for a variable whose definition is cut: another variable, or a constant, of its kind.

Kinds come from a run (see `flybisect.source.instrument`), so a substitute has the class and IR type
of what it replaces, and the DSL takes it wherever it took the other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Set
from functools import cached_property

from flybisect.source.instrument import VARIES, ObservedTypes, around
from flybisect.source.scopes import Key, Statement, Statements

_SCALARS = {"f32": "Float32", "f16": "Float16", "bf16": "BFloat16", "i32": "Int32", "i64": "Int64"}
_VECTOR = re.compile(r"Vector\|vector<(\d+)x(\w+)>")
_SCALAR = re.compile(r"(U?[Ii]nt(?:8|16|32|64)|Float32|Float16|BFloat16)(?:\|.*)?")
_DSL = "flydsl.expr"


class Substitutes:
    """Substitutes for the variables of one script."""

    def __init__(self, table: Statements, kinds: ObservedTypes) -> None:
        self._table = table
        self._kinds = kinds

    def for_variable(self, key: Key, user: Statement, before: int, removed: Set[int]) -> str | None:
        """Text of a value for `key`, to stand at offset `before`; None where nothing fits.

        A known literal first, then the variable of the same kind that is bound last before that
        place, then a constant of the DSL. What is bound in `removed` is not used.
        """
        literal = self._kinds.values.get((around(self._table, user), key[1]))
        if literal is not None:
            return literal
        kind = self._of_variable.get(key)
        if kind is None:
            return None
        return self._variable(kind, key, user, before, removed) or self._constant(kind)

    def for_kind(self, kind: str, user: Statement, before: int) -> str | None:
        """As `for_variable`, for a value of a kind."""
        return self._variable(kind, None, user, before, frozenset()) or self._constant(kind)

    def variable_of_kind(self, kind: str, user: Statement) -> str | None:
        """A variable of a kind that is bound before a statement, or None."""
        return self._variable(kind, None, user, user.start, frozenset())

    def known(self, key: Key) -> bool:
        """True where a run told the variable's kind, and it is one of the DSL's."""
        kind = self._of_variable.get(key, "")
        return "|" in kind or bool(_SCALAR.fullmatch(kind))

    def scalar(self, key: Key) -> bool:
        """True where the variable was a number of the DSL each time."""
        return bool(_SCALAR.fullmatch(self._of_variable.get(key, "")))

    @cached_property
    def _of_variable(self) -> dict[Key, str]:
        """Class and IR type of each variable that was read, where it was always the same."""
        found: dict[Key, str] = {}
        for key, users in self._table.users.items():
            kinds = {self._kinds.kinds.get((around(self._table, user), key[1])) for user, _ in users}
            kinds.discard(None)
            if len(kinds) == 1:
                kind = kinds.pop()
                if kind is not None and kind != VARIES:
                    found[key] = kind
        return found

    def _variable(
        self, kind: str, key: Key | None, user: Statement, before: int, removed: Set[int]
    ) -> str | None:
        best: tuple[int, str] | None = None
        for other, other_kind in self._of_variable.items():
            if other == key or other_kind != kind or self._table.resolve(other[1], user.scope) != other:
                continue
            binders = self._table.binders.get(other, [])
            ends = [b.end for b in binders if b.number not in removed and b.end <= before]
            # A parameter is bound by the function around the place.
            ends += [
                b.start
                for b in binders
                if isinstance(b.node, ast.FunctionDef)
                and b.number not in removed
                and b.start <= before < b.end
            ]
            if ends and (best is None or max(ends) > best[0]):
                best = max(ends), other[1]
        return None if best is None else best[1]

    def _constant(self, kind: str) -> str | None:
        dsl = self._alias
        if dsl is None:
            return None
        vector, scalar = _VECTOR.fullmatch(kind), _SCALAR.fullmatch(kind)
        if vector and vector[2] in _SCALARS:
            zero = "0" if vector[2].startswith("i") else "0.0"
            return f"{dsl}.Vector.filled({vector[1]}, {zero}, {dsl}.{_SCALARS[vector[2]]})"
        if scalar and scalar[1][0].isupper():
            return f"{dsl}.{scalar[1]}({'0' if 'nt' in scalar[1] else '0.0'})"
        return None

    @cached_property
    def _alias(self) -> str | None:
        """The script's name for the DSL's module, as `fx`."""
        for entry in self._table.all:
            if isinstance(entry.node, ast.Import):
                for alias in entry.node.names:
                    if alias.name == _DSL and alias.asname:
                        return alias.asname
        return None
