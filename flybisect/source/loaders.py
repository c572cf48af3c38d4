"""Functions of a script that do nothing but load a file as a module."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from flybisect.source.pathnames import PathNames

_CACHES = frozenset({"cache", "lru_cache"})


@dataclass(frozen=True)
class Loader:
    """One such function."""

    node: ast.FunctionDef
    location: ast.expr
    """Of the file, in terms of the function's names."""

    def path(self, call: ast.Call, names: PathNames) -> str | None:
        """The file that a call of it loads; None where its arguments do not say."""
        known = self._given(call, names)
        return None if known is None else names.path(self.location, known)

    def _given(self, call: ast.Call, names: PathNames) -> Mapping[str, object] | None:
        parameters = [*self.node.args.posonlyargs, *self.node.args.args]
        if any(each.arg is None for each in call.keywords) or len(call.args) > len(parameters):
            return None
        found: dict[str, object] = {}
        defaults = self.node.args.defaults
        pairs = zip(parameters[len(parameters) - len(defaults) :], defaults, strict=True)
        kwonly = zip(self.node.args.kwonlyargs, self.node.args.kw_defaults, strict=True)
        for parameter, default in (*pairs, *kwonly):
            found[parameter.arg] = None if default is None else names.value(default)
        for parameter, value in zip(parameters, call.args, strict=False):
            found[parameter.arg] = names.value(value)
        found.update({str(each.arg): names.value(each.value) for each in call.keywords})
        return found


def called(node: ast.Call) -> str:
    """The last part of what a call calls."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def loader_of(node: ast.FunctionDef, names: PathNames) -> Loader | None:
    """None where the function does anything else."""
    if node.args.vararg or node.args.kwarg or not all(_is_cache(each) for each in node.decorator_list):
        return None
    location: ast.expr | None = None
    for statement in node.body:
        found = _location(statement)
        if found is not None and location is not None:
            return None
        location = location or found
        if found is None and not _is_about_loading(statement):
            return None
    if location is None or not isinstance(node.body[-1], ast.Return) or node.body[-1].value is None:
        return None
    return Loader(node, location)


def _location(statement: ast.stmt) -> ast.expr | None:
    """What the statement loads."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and called(node) in (
            "spec_from_file_location",
            "SourceFileLoader",
            "load_source",
        ):
            if len(node.args) > 1:
                return node.args[1]
            return next((each.value for each in node.keywords if each.arg in ("location", "path")), None)
    return None


def _is_about_loading(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Assert, ast.Pass)):
        return True
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        return isinstance(target, ast.Name) or ast.unparse(target).startswith("sys.modules[")
    if isinstance(statement, ast.Expr):
        if isinstance(statement.value, ast.Constant):
            return True
        return isinstance(statement.value, ast.Call) and called(statement.value) == "exec_module"
    if isinstance(statement, ast.Return):
        return isinstance(statement.value, ast.Name)
    if isinstance(statement, ast.If) and not statement.orelse:
        # `if spec is None: raise …`, or what was loaded before is given back.
        return all(isinstance(each, (ast.Raise, ast.Return)) for each in statement.body)
    return False


def _is_cache(node: ast.expr) -> bool:
    function = node.func if isinstance(node, ast.Call) else node
    return ast.unparse(function).rpartition(".")[2] in _CACHES
