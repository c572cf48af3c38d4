"""The text of a flattened script."""

from __future__ import annotations

import ast
import copy
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from flybisect.source.edit import Edit, apply
from flybisect.source.flatten.imports import import_text
from flybisect.source.flatten.modules import MAIN, Module, removal
from flybisect.source.flatten.names import Names, Site
from flybisect.source.flatten.variables import Variables
from flybisect.source.source import Source

FUTURE = "annotations"
"""The one `from __future__` that changes what a script does in Python 3.10 and newer."""
EXACT = sys.version_info >= (3, 12)
"""Older Pythons misplace what stands inside f-strings."""

OBJECT = '''
class {name}({types}.ModuleType):
    """A module whose text is part of this script."""

    def __init__(self, name, names):
        super().__init__(name)
        super().__setattr__("in_script", names)

    def __getattr__(self, name):
        if name not in self.in_script or self.in_script[name] not in globals():
            raise AttributeError(f"module {{self.__name__!r}} has no attribute {{name!r}}")
        return globals()[self.in_script[name]]

    def __setattr__(self, name, value):
        globals()[self.in_script.setdefault(name, name)] = value

    def __delattr__(self, name):
        del globals()[self.in_script.pop(name)]
'''


def written(main: Module, variables: Variables) -> str:
    """The script with all its modules."""
    writer = _FlatWriter(variables)
    return writer.body(MAIN)


def with_head(text: str, head: str) -> str:
    """A script with more statements before its first one, behind docstring and `from __future__`."""
    source = Source(text)
    body = source.tree.body
    count = 0
    if ast.get_docstring(source.tree, clean=False) is not None:
        count = 1
    while count < len(body) and _is_future(body[count]):
        count += 1
    return apply(text, [_insertion(source, count, head)])


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _insertion(source: Source, at: int, text: str) -> Edit:
    """Puts whole lines before one of the script's own statements, or at its end."""
    body = source.tree.body
    if at < len(body):
        begin = source.line_begin(source.span(body[at])[0])
        if at == 0 or begin >= source.span(body[at - 1])[1]:
            return Edit(begin, begin, text)
    if at and at < len(body):
        end = source.span(body[at - 1])[1]
        lead = source.text[end : source.span(body[at])[0]]
        return Edit(end, end + len(lead), f"\n{text}")
    last = len(source.text)
    lead_in = "" if not source.text or source.text.endswith("\n") else "\n"
    return Edit(last, last, lead_in + text)


class _FlatWriter:
    def __init__(self, variables: Variables) -> None:
        self.variables = variables
        self.graph = variables.graph
        self.order = variables.order
        every = [self.graph.modules[name] for name in self.order.order]
        plain = [names for names in every if FUTURE not in names.cleaned.futures]
        self.deferred = len(plain) < len(every) and not any(any(names.annotations()) for names in plain)
        """True where annotations of the whole script can be left unevaluated."""

    def body(self, name: str) -> str:
        """A module's text with what it imports in it."""
        names = self.graph.modules[name]
        edits = self._edits(names)
        if FUTURE in names.cleaned.futures and not self.deferred:
            edits = _quoted(names, edits)
        text = _insert(names, edits, self._blocks(name))
        behind = "".join(self._block(each) for each in self.order.behind[name])
        if behind:
            text += ("" if text.endswith("\n") else "\n") + behind
        return text

    def _blocks(self, name: str) -> dict[int, str]:
        found: dict[int, str] = defaultdict(str)
        if name == MAIN:
            tree = self.graph.modules[name].source.tree
            first = 0 if ast.get_docstring(tree, clean=False) is None else 1
            found[first] = self._head()
        for (importer, top), modules in self.order.before.items():
            if importer == name:
                found[top] += "".join(self._block(each) for each in modules)
        return {top: text for top, text in found.items() if text}

    def _block(self, name: str) -> str:
        text = self.body(name).strip("\n")
        if not ast.parse(text).body:
            return ""
        return f"# from {self.graph.modules[name].module.shown}\n{text}\n\n"

    def _head(self) -> str:
        text = f"from __future__ import {FUTURE}\n" if self.deferred else ""
        if not self.variables.objects:
            return text
        kind, types = self.variables.fresh("ModuleInScript"), self.variables.fresh("module_types")
        text += f"import types as {types}\n"
        text += OBJECT.format(name=kind, types=types) + "\n\n"
        for module, name in sorted(self.variables.objects.items()):
            text += f"{name} = {kind}({module!r}, {self._attributes(module)!r})\n"
        return text + "\n"

    def _attributes(self, module: str) -> dict[str, str]:
        """Attribute → name in the script."""
        inner = self.variables.inner(module)
        found = {each: self.variables.objects[held] for each, held in inner.items()}
        for each in sorted({*self.graph.modules[module].bound, *self.graph.provided(module)} - set(found)):
            found[each] = self.variables.called((module, each))
        return found

    # -- edits -----------------------------------------------------------------------------------

    def _edits(self, names: Names) -> list[Edit]:
        swaps: dict[ast.expr, str] = {}
        edits: list[Edit] = []
        for reach in self.variables.reaches[names.name]:
            swaps[reach.node] = self._reached(names, reach.node, reach.variable, reach.module, reach.constant)
        for occurrence, text in self.variables.constants[names.name]:
            assert isinstance(occurrence.node, ast.expr)
            swaps[occurrence.node] = text
        for variable, found in self._own(names):
            new = self.variables.called((names.name, variable))
            for each in found if new != variable else ():
                if isinstance(each.node, ast.Name):
                    swaps.setdefault(each.node, new)
                else:
                    edits.append(Edit(each.start, each.end, new))
        edits += _swapped(names, swaps)
        for site in names.sites:
            edits += self._import(names, site)
        return edits

    def _own(self, names: Names) -> Iterator[tuple[str, list]]:  # type: ignore[type-arg]
        for (scope, variable), found in list(names.at.items()):
            if scope == 0 and self.graph.module_of(names.name, (scope, variable)) is None:
                yield variable, found
        stars = self.graph.provided(names.name)
        for variable, found in names.free.items():
            if variable in stars and self.graph.module_at(stars[variable], variable) is None:
                yield variable, found

    def _reached(
        self,
        names: Names,
        node: ast.expr,
        variable: tuple[str, str] | None,
        module: str,
        constant: str | None,
    ) -> str:
        if constant is not None:
            return constant
        if variable is None:
            return self.variables.objects[module]
        called = self.variables.called(variable)
        stored = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        return f'globals()["{called}"]' if stored else called

    def _import(self, names: Names, site: Site) -> Iterable[Edit]:
        bindings = [b for b in self.graph.bindings[names.name] if b.site is site]
        text = import_text(self.variables, names, site, bindings)
        if text is None:
            return
        if text or not self._alone(names, site):
            start, end = names.source.span(site.node)
            yield Edit(start, end, text or "pass")
        else:
            yield removal(names.source, site.node)

    def _alone(self, names: Names, site: Site) -> bool:
        """True where the statement can go without leaving a block empty."""
        return site.entry.parent is None


def _insert(names: Names, edits: list[Edit], blocks: Mapping[int, str]) -> str:
    """Apply edits, and put blocks before the statements that they are named by."""
    source = names.source
    placed = {edit.start: edit for edit in edits}
    result = list(edits)
    for top, block in blocks.items():
        insertion = _insertion(source, top, block)
        there = placed.get(insertion.start)
        if there is not None and there.end > insertion.end:
            result.remove(there)
            result.append(Edit(there.start, there.end, insertion.text + there.text))
        else:
            result.append(insertion)
    return apply(source.text, result)


def _quoted(names: Names, edits: list[Edit]) -> list[Edit]:
    """Annotations as texts: what `from __future__ import annotations` makes of them."""
    found = list(edits)
    for node in names.annotations():
        start, end = names.source.span(node)
        inside = [Edit(e.start - start, e.end - start, e.text) for e in edits if start <= e.start < end]
        found.append(Edit(start, end, repr(apply(names.source.text[start:end], inside))))
        found = [e for e in found if e not in edits or not start <= e.start < end]
    return found


def _swapped(names: Names, swaps: Mapping[ast.expr, str]) -> list[Edit]:
    edits = []
    inside: dict[ast.JoinedStr, dict[ast.expr, str]] = defaultdict(dict)
    for node, text in swaps.items():
        around = _f_string(names, node)
        if around is not None and (not EXACT or not text.isidentifier()):
            inside[around][node] = text
        else:
            edits.append(Edit(*names.source.span(node), text))
    for around, parts in inside.items():
        edits.append(
            Edit(*names.source.span(around), ast.unparse(_Swap(parts).visit(_copied(around, parts))))
        )
    return edits


def _f_string(names: Names, node: ast.AST) -> ast.JoinedStr | None:
    """The outermost f-string around an expression."""
    found = None
    at: ast.AST | None = node
    while at is not None and not isinstance(at, ast.stmt):
        if isinstance(at, ast.JoinedStr):
            found = at
        at = names.parents.get(at)
    return found


def _copied(node: ast.JoinedStr, parts: dict[ast.expr, str]) -> ast.JoinedStr:
    """A copy whose parts are known by the same mapping."""
    memo: dict[int, object] = {}
    copied = copy.deepcopy(node, memo)
    for part in list(parts):
        twin = memo[id(part)]
        assert isinstance(twin, ast.expr)
        parts[twin] = parts[part]
    return copied


class _Swap(ast.NodeTransformer):
    def __init__(self, parts: Mapping[ast.expr, str]) -> None:
        self.parts = parts

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and node in self.parts:
            return ast.parse(self.parts[node], mode="eval").body
        result: ast.AST = super().visit(node)
        return result
