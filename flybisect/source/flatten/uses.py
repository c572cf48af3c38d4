"""What a script does with its modules: attributes read of them, attributes set, or the object itself."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from flybisect.source.flatten.graph import ImportGraph, Keep, Variable
from flybisect.source.flatten.modules import MAIN, Module
from flybisect.source.flatten.names import Names, Occurrence

UNKNOWN = frozenset({"__path__", "__spec__", "__loader__", "__dict__", "__builtins__", "__annotations__"})
"""What a module has that a piece of a script does not."""


@dataclass(frozen=True)
class Reach:
    """`m.f`, `pkg.mod.f` or a bare `m`, where the name at its left end stands for a local module."""

    node: ast.expr
    """The longest part that is known."""
    occurrence: Occurrence
    variable: Variable | None
    """What it reads or sets; None where it is a module as an object."""
    module: str
    constant: str | None = None
    """Text of its value, for `m.__name__` and the like."""


def reaches(graph: ImportGraph, name: str, made: Collection[Variable] = ()) -> Iterator[Reach]:
    """All of one module of the graph. `made`: attributes that modules have from elsewhere alone."""
    names = graph.modules[name]
    for key, found in names.at.items():
        module = graph.module_of(name, key)
        if module is not None:
            yield from (_reach(graph, names, each, module, made) for each in found)
    stars = graph.provided(name)
    for free, found in names.free.items():
        if free in stars:
            module = graph.module_at(stars[free], free)
            if module is not None:
                yield from (_reach(graph, names, each, module, made) for each in found)


def _reach(
    graph: ImportGraph, names: Names, occurrence: Occurrence, module: str, made: Collection[Variable]
) -> Reach:
    assert isinstance(occurrence.node, ast.expr)
    node: ast.expr = occurrence.node
    while True:
        parent = names.parents.get(node)
        if not isinstance(parent, ast.Attribute):
            return Reach(node, occurrence, None, module)
        inner = graph.module_at(module, parent.attr)
        if inner is not None and isinstance(parent.ctx, ast.Load):
            node, module = parent, inner
            continue
        stored = not isinstance(parent.ctx, ast.Load)
        if stored or graph.binds(module, parent.attr) or (module, parent.attr) in made:
            return Reach(parent, occurrence, (module, parent.attr), module)
        text = constant(graph.modules[module].module, graph.modules[module].cleaned.docstring, parent.attr)
        if text is not None:
            return Reach(parent, occurrence, None, module, text)
        return Reach(node, occurrence, None, module)


def constant(module: Module, docstring: str | None, name: str) -> str | None:
    """Text of what Python sets in each module by itself; None where it sets no such name.

    Raises Keep for what cannot be said in a text.
    """
    values = {
        "__name__": repr(module.name),
        "__file__": repr(module.path),
        "__doc__": repr(docstring),
        "__package__": repr(module.package),
    }
    if name in UNKNOWN and module.name != MAIN:
        raise Keep(module.name, f"its {name} is used")
    return values.get(name)
