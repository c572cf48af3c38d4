"""What one statement itself reads and binds."""

from __future__ import annotations

import ast
from typing import Protocol

from flybisect.source.namespaces import (
    FunctionNode,
    Scope,
    Statement,
    Use,
    every_argument,
)
from flybisect.source.source import Source


class Table(Protocol):
    """Where scopes are kept; `flybisect.source.scopes.Statements` is one."""

    source: Source
    module: Scope
    star_imports: list[int]

    def new_scope(self, kind: str, parent: Scope, node: ast.AST) -> Scope: ...


class Header(ast.NodeVisitor):
    """Reads what a statement itself uses and binds; statements inside it are not entered.

    In the order in which Python does, so that it is known which reads come before a binding.
    """

    def __init__(self, table: Table, entry: Statement) -> None:
        self.table = table
        self.entry = entry
        self.scope = entry.scope

    def read(self, node: ast.stmt) -> None:
        for child in ast.iter_child_nodes(node) if not self._special(node) else ():
            if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                self.visit(child)
            elif isinstance(child, ast.ExceptHandler):
                if child.type is not None:
                    self.visit(child.type)
                if child.name:
                    self._bind(child.name)
            elif isinstance(child, ast.match_case):
                self.visit(child.pattern)
                if child.guard is not None:
                    self.visit(child.guard)

    def _special(self, node: ast.stmt) -> bool:
        """Statements whose header is more than its child expressions. True when all was read here."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for decorator in node.decorator_list:
                self.visit(decorator)
            self._function(node)
            self._bind(node.name)
        elif isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                self.visit(decorator)
            scope = self._type_scope(node)
            self._within(scope, [*node.bases, *(keyword.value for keyword in node.keywords)])
            self.table.new_scope("class", scope, node)
            self._bind(node.name)
        elif type(node).__name__ == "TypeAlias":  # Python 3.12
            self._within(self._type_scope(node), [node.value])  # type: ignore[attr-defined]
            self.visit(node.name)  # type: ignore[attr-defined]
        elif isinstance(node, ast.Assign):
            self.visit(node.value)
            for target in node.targets:
                self.visit(target)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.visit(node.iter)
            self.visit(node.target)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if alias.name == "*":
                    self.table.star_imports.append(self.entry.number)
                else:
                    self._bind(alias.asname or alias.name.split(".")[0])
        elif isinstance(node, ast.Global):
            self.scope.globals |= set(node.names)
            self.table.module.bound |= set(node.names)
        elif isinstance(node, ast.Nonlocal):
            self.scope.nonlocals |= set(node.names)
        elif isinstance(node, ast.AugAssign):
            self.visit(node.value)
            if isinstance(node.target, ast.Name):
                self._use(node.target.id, node.target)
                self.scope.bound.add(node.target.id)
            else:
                self.visit(node.target)
        elif isinstance(node, ast.AnnAssign):
            self.visit(node.annotation)
            if node.value is not None:
                self.visit(node.value)
                self.visit(node.target)
            elif isinstance(node.target, ast.Name):
                self.scope.bound.add(node.target.id)
            else:
                self.visit(node.target)
        else:
            return False
        return True

    def _function(self, node: FunctionNode) -> None:
        """Defaults and annotations are read outside, parameters are bound inside."""
        arguments = node.args
        for default in [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]:
            self.visit(default)
        around = self._type_scope(node)
        inner = self.table.new_scope("function", around, node)
        for argument in every_argument(arguments):
            if argument.annotation is not None:
                self._within(around, [argument.annotation])
            inner.bound.add(argument.arg)
            self.entry.binds.append((argument.arg, inner))
        returns = getattr(node, "returns", None)
        if returns is not None:
            self._within(around, [returns])
        if isinstance(node, ast.Lambda):
            self._within(inner, [node.body])

    def _type_scope(self, node: ast.AST) -> Scope:
        """Where type parameters live (`def f[T]()`, Python 3.12); the scope itself where there are none.

        A `type` statement has one in any case, since its value is read later.
        """
        parameters = getattr(node, "type_params", [])
        if not parameters and type(node).__name__ != "TypeAlias":
            return self.scope
        scope = self.table.new_scope("types", self.scope, parameters[0] if parameters else node)
        scope.bound |= {parameter.name for parameter in parameters}
        for parameter in parameters:
            parts = [getattr(parameter, name, None) for name in ("bound", "default_value")]
            self._within(scope, [part for part in parts if part is not None])
        return scope

    def _within(self, scope: Scope, nodes: list[ast.expr]) -> None:
        outer, self.scope = self.scope, scope
        for node in nodes:
            self.visit(node)
        self.scope = outer

    def _bind(self, name: str) -> None:
        scope = self.scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        scope.bound.add(name)
        self.entry.binds.append((name, scope))

    def _use(self, name: str, node: ast.AST) -> None:
        at = self.table.source.span(node)[0]
        own = any(bound == name and scope is self.scope for bound, scope in self.entry.binds)
        self.entry.uses.append(Use(name, self.scope, node, at, own))

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._bind(node.id)
        else:
            self._use(node.id, node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._bind(node.target.id)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self.generic_visit(node)
        if node.name:
            self._bind(node.name)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.generic_visit(node)
        if node.rest:
            self._bind(node.rest)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        inner = self.table.new_scope("comprehension", self.scope, node)
        for at, generator in enumerate(node.generators):
            self._within(self.scope if at == 0 else inner, [generator.iter])
            for target in ast.walk(generator.target):
                if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store):
                    inner.bound.add(target.id)
                elif isinstance(target, ast.Name):
                    self._within(inner, [target])
            self._within(inner, generator.ifs)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._within(inner, results)

    visit_ListComp = _comprehension
    visit_SetComp = _comprehension
    visit_DictComp = _comprehension
    visit_GeneratorExp = _comprehension
