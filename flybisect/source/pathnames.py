"""What names of one file stand for, as far as paths and file contents go."""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Mapping

from flybisect.source.paths import path_value

_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class PathNames:
    """Names that are assigned once. Others are not known."""

    def __init__(self, tree: ast.Module, file: str) -> None:
        """`file`: the absolute path of the file itself."""
        self._file = file
        self._parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self._used: dict[str, list[ast.Name]] = {}
        self._stores: Counter[str] = Counter()
        self._assigned: dict[str, ast.expr] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._used.setdefault(node.id, []).append(node)
            elif isinstance(node, ast.Name):
                self._stores[node.id] += 1
            elif isinstance(node, ast.arg):
                self._stores[node.arg] += 1
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._stores[node.name] += 1
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self._stores.update((each.asname or each.name).split(".")[0] for each in node.names)
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                self._stores.update(dict.fromkeys(node.names, 2))
        self._several: dict[tuple[ast.AST, str], list[ast.expr]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                self._assign(node.targets[0], node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self._assign(node.target, node.value)
            elif isinstance(node, ast.withitem) and isinstance(node.optional_vars, ast.Name):
                self._assign(node.optional_vars, node.context_expr)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._several.setdefault((self._scope(target), target.id), []).append(value)

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self._parents.get(node)

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost one around a node."""
        at: ast.AST | None = node
        while at is not None and not isinstance(at, ast.stmt):
            at = self._parents.get(at)
        assert at is not None
        return at

    def stores(self, name: str) -> int:
        """How often it is bound in the file, whatever the scope."""
        return self._stores[name]

    def uses(self, name: str, beside: ast.AST | None = None) -> list[ast.Name]:
        """Where it is read; with `beside`, in the same function alone."""
        found = self._used.get(name, [])
        return found if beside is None else [u for u in found if self._scope(u) is self._scope(beside)]

    def assigned(self, name: ast.Name) -> ast.expr | None:
        """What the name is assigned where it is read; None where that is not one thing."""
        for scope in (self._scope(name), self._top(name)):
            found = self._several.get((scope, name.id), [])
            if found:
                bound = self._bound(scope, name.id)
                return found[0] if len(found) == 1 == bound else None
            if self._bound(scope, name.id):
                return None
        return None

    def value(self, node: ast.expr, known: Mapping[str, object] | None = None) -> object:
        """A text that an expression stands for. `known`: names that are known from elsewhere."""
        names: dict[str, object] = {}
        self._fill(node, names, known or {}, 0)
        return path_value(node, names)

    def path(self, node: ast.expr | None, known: Mapping[str, object] | None = None) -> str | None:
        """The file that an expression stands for, absolute."""
        value = None if node is None else self.value(node, known)
        if not isinstance(value, str) or not value:
            return None
        return os.path.normpath(os.path.join(os.path.dirname(self._file), value))  # noqa: PTH118, PTH120

    def read(self, node: ast.expr) -> str | None:
        """The file whose text an expression stands for, compiled or not."""
        if isinstance(node, ast.Name):
            made = self.assigned(node)
            return None if made is None else self.read(made)
        if not isinstance(node, ast.Call):
            return None
        function = node.func
        if isinstance(function, ast.Name) and function.id == "compile" and node.args:
            return self.read(node.args[0])
        if not isinstance(function, ast.Attribute):
            return None
        holder: ast.expr | None = function.value
        if function.attr in ("read_text", "read_bytes"):
            return self.path(holder)
        if function.attr == "decode" and not node.args and holder is not None:
            return self.read(holder)
        if function.attr != "read" or node.args:
            return None
        holder = self.assigned(holder) if isinstance(holder, ast.Name) else holder
        if isinstance(holder, ast.Call) and ast.unparse(holder.func) in ("open", "io.open", "tokenize.open"):
            return self.path(holder.args[0] if holder.args else None)
        opened = holder.func if isinstance(holder, ast.Call) else None
        by_method = isinstance(opened, ast.Attribute) and opened.attr == "open"
        return self.path(opened.value) if by_method and isinstance(opened, ast.Attribute) else None

    def _fill(
        self, node: ast.expr, names: dict[str, object], known: Mapping[str, object], depth: int
    ) -> None:
        names.setdefault("__file__", self._file)
        for each in ast.walk(node):
            if not isinstance(each, ast.Name) or each.id in names:
                continue
            if each.id in known:
                names[each.id] = known[each.id]
                continue
            made = self.assigned(each) if depth < 20 else None
            if made is not None:
                self._fill(made, names, known, depth + 1)
                names[each.id] = path_value(made, names)

    def _scope(self, node: ast.AST) -> ast.AST:
        """The function around a node, or the module."""
        at = self._parents.get(node)
        while at is not None and not isinstance(at, (*_Function, ast.Module)):
            at = self._parents.get(at)
        return node if at is None else at

    def _top(self, node: ast.AST) -> ast.AST:
        at: ast.AST = node
        while at in self._parents:
            at = self._parents[at]
        return at

    def _bound(self, scope: ast.AST, name: str) -> int:
        """How often a scope binds it."""
        found = 0
        for node in ast.walk(scope):
            if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
                found += self._scope(node) is scope
            elif isinstance(node, ast.arg) and node.arg == name:
                found += self._scope(node) is scope
            elif isinstance(node, ast.Global) and name in node.names:
                found += 2
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
                found += self._scope(node) is scope
        return found
