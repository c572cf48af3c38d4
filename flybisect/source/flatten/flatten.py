"""One self-contained script out of a script and the local modules that it imports.

A module's text goes where Python would run it first. Its variables keep their names; where two
modules mean different things by one name, the script's own stays and the others are renamed everywhere. An
import of a local module is gone where the name means the same without it, and is an assignment where it
does not. What cannot be said in one text stays imported, and `Flat.left` says why.

Only what has to change does: all other text, comments included, is as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flybisect.source.flatten.graph import ImportGraph, Keep
from flybisect.source.flatten.modules import (
    MAIN,
    Finder,
    FlattenError,
    Module,
)
from flybisect.source.flatten.names import Names
from flybisect.source.flatten.order import Order
from flybisect.source.flatten.variables import Variables
from flybisect.source.flatten.write import written

__all__ = ["MAIN", "Finder", "Flat", "FlattenError", "Module", "flatten"]


@dataclass(frozen=True)
class Flat:
    """A flattened script."""

    text: str
    modules: tuple[str, ...]
    """Those that are part of it now, in the order in which they run."""
    left: tuple[tuple[str, str], ...]
    """Local modules that it still imports, and why."""
    renamed: tuple[tuple[str, str, str], ...]
    """(module, name, name in the script)."""


def flatten(main: Module, finder: Finder) -> Flat:
    """The script with its local modules in it; its own text where it imports none.

    Raises FlattenError where Python itself could not import what the script asks for.
    """
    kept: dict[str, str] = {}
    read: dict[str, Names] = {}
    while True:
        try:
            return _flatten(main, finder, kept, read)
        except Keep as keep:
            if keep.module in kept:
                raise FlattenError(f"{keep.module} cannot be part of the script: {keep.why}") from None
            for name, why in _with_what_it_imports(keep, finder, read).items():
                kept.setdefault(name, why)


def _flatten(main: Module, finder: Finder, kept: Mapping[str, str], read: dict[str, Names]) -> Flat:
    graph = ImportGraph(main, finder, kept, read)
    order = Order(graph)
    modules = tuple(name for name in order.order if name != MAIN)
    if not modules and not kept:
        return Flat(main.text, (), (), ())
    variables = Variables(graph, order)
    return Flat(written(main, variables), modules, tuple(sorted(kept.items())), tuple(variables.renamed))


def _with_what_it_imports(keep: Keep, finder: Finder, read: dict[str, Names]) -> dict[str, str]:
    """What a module that stays imports has to stay, too: the same module twice would be two modules."""
    found = {keep.module: keep.why}
    module = finder.local(keep.module)
    if module is None or "not installed" in keep.why:
        return found
    try:
        below = set(ImportGraph(module, finder, {}, read).bindings) - {MAIN}
    except (Keep, FlattenError):
        below = set()
    parents = keep.module.split(".")
    below |= {".".join(parts) for n in range(1, len(parents)) for parts in [parents[:n]]}
    for name in sorted(below):
        found.setdefault(name, f"{keep.module} imports it")
    return found
