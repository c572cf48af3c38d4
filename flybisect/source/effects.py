"""Assignments that are made for what their calls do: `y = conv(x)`, where `conv` launches a kernel."""

from __future__ import annotations

import ast

from flybisect.source.cut import own_nodes
from flybisect.source.expressions import root_name
from flybisect.source.scopes import Statement, Statements

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)


class Effects:
    """Says of the statements of one script whether a call in them may launch or compile something."""

    def __init__(self, table: Statements) -> None:
        self._table = table
        self._known: dict[int, bool] = {}
        self._methods: dict[str, list[Statement]] = {}
        for entry in table.all:
            if isinstance(entry.node, _FUNCTIONS) and entry.scope.kind == "class":
                self._methods.setdefault(entry.node.name, []).append(entry)

    def has(self, entry: Statement) -> bool:
        """True where a call in the statement's own text launches, or calls what is not known.

        What is imported has no effect, unless it is given a function that has one. The script's own
        functions and methods have those of the calls in them.
        """
        if entry.number not in self._known:
            self._known[entry.number] = False  # A circle has no effect of its own.
            calls = [node for node in own_nodes(entry.node) if isinstance(node, ast.Call)]
            self._known[entry.number] = any(self._call(entry, call) for call in calls)
        return self._known[entry.number]

    def _call(self, entry: Statement, call: ast.Call) -> bool:
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr == "launch":
            return True
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if any(isinstance(each, ast.Name) and self._function(entry, each) for each in given):
            return True
        if isinstance(function, ast.Name):
            return self._named(entry, function)
        if isinstance(function, ast.Attribute):
            return any(self._body(method) for method in self._methods.get(function.attr, ()))
        return self._unknown(entry, function)

    def _named(self, entry: Statement, name: ast.Name) -> bool:
        """Of a call by a plain name: what is passed in or comes from another call is not known."""
        known = all(
            (isinstance(b.node, _DEFINITIONS) and b.node.name == name.id) or self._imported(b)
            for b in self._binders(entry, name.id)
        )
        return not known or self._function(entry, name)

    def _imported(self, binder: Statement) -> bool:
        """True for an import, and for `exp = fx.math.exp`."""
        if isinstance(binder.node, (ast.Import, ast.ImportFrom)):
            return True
        value = binder.node.value if isinstance(binder.node, ast.Assign) else None
        name = root_name(value) if isinstance(value, ast.Attribute) else None
        found = [] if name is None else self._binders(binder, name)
        return bool(found) and all(isinstance(b.node, (ast.Import, ast.ImportFrom)) for b in found)

    def _function(self, entry: Statement, name: ast.Name) -> bool:
        binders = self._binders(entry, name.id)
        own = [b for b in binders if isinstance(b.node, _DEFINITIONS) and b.node.name == name.id]
        return any(self._body(b) for b in own)

    def _body(self, definition: Statement) -> bool:
        """True for a kernel or launcher, and where a statement inside has an effect."""
        decorators = getattr(definition.node, "decorator_list", [])
        names = {
            node.attr for each in decorators for node in ast.walk(each) if isinstance(node, ast.Attribute)
        }
        if names & {"kernel", "jit"}:
            return True
        number = definition.number
        return any(self.has(self._table.all[part]) for part in self._table.subtree(number) if part != number)

    def _unknown(self, entry: Statement, function: ast.expr) -> bool:
        """Of `make(2)(x)` and `kernels[0](x)`: only what begins with an import is known."""
        while isinstance(function, (ast.Call, ast.Subscript, ast.Attribute)):
            function = function.func if isinstance(function, ast.Call) else function.value
        name = root_name(function)
        binders = [] if name is None else self._binders(entry, name)
        return name is None or not all(isinstance(b.node, (ast.Import, ast.ImportFrom)) for b in binders)

    def _binders(self, entry: Statement, name: str) -> list[Statement]:
        use = next((use for use in entry.uses if use.name == name), None)
        key = None if use is None else self._table.resolve(name, use.scope)
        return [] if key is None else self._table.binders.get(key, [])
