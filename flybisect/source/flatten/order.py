"""Where in the script each module's text goes: where Python would first run it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from flybisect.source.flatten.graph import ImportGraph, Keep, ToVariable
from flybisect.source.flatten.modules import MAIN, FlattenError
from flybisect.source.flatten.names import Names, Site


class Order:
    """Follows the imports as Python does. Raises FlattenError where Python would fail on a circle.

    A module that only a function imports runs before the statement that holds the function, or after all
    that it is in a circle with. One that cannot be imported is left alone where the script copes with it.
    """

    def __init__(self, graph: ImportGraph) -> None:
        self.graph = graph
        self.before: dict[tuple[str, int], list[str]] = defaultdict(list)
        """(module, position of one of its own statements) → the modules whose text goes before it."""
        self.behind: dict[str, list[str]] = defaultdict(list)
        """Module → those whose text goes at its end."""
        self.order: list[str] = []
        """In which they begin."""
        self._now: dict[str, int] = {}
        """Modules that have begun and not ended → the statement they are at."""
        self._done: set[str] = set()
        self._waiting: dict[str, list[str]] = defaultdict(list)
        self.early: set[tuple[str, str]] = set()
        """(importer, imported) where the imported one had not ended."""
        self._run(MAIN)

    def _run(self, name: str) -> None:
        self.order.append(name)
        self._now[name] = 0
        names = self.graph.modules[name]
        sites = sorted(names.sites, key=lambda site: (site.top, site.entry.start))
        for site in sites:
            self._now[name] = site.top
            for load in self.graph.loads_of(name, site):
                self._meet(name, site, load)
            if not site.lazy:
                self._check_circle(name, site)
        del self._now[name]
        self._done.add(name)
        for each in self._waiting.pop(name, []):
            if each not in self.order:
                self.behind[name].append(each)
                self._run(each)

    def _meet(self, name: str, site: Site, load: str) -> None:
        if load in self._done:
            return
        if load in self._now:
            if not site.lazy:
                self.early.add((name, load))
            return
        if site.guarded or site.lazy:
            missing = self._lacks(load, set())
            if missing is not None:
                raise Keep(load, missing)
        if site.lazy:
            circle = self._in_circle(load, set())
            if circle:
                outermost = min(circle, key=list(self._now).index)
                self._waiting[outermost].append(load)
                return
        self.before[name, site.top].append(load)
        self._run(load)

    def _check_circle(self, name: str, site: Site) -> None:
        """A name has to be there when it is imported, also from a module that has not ended."""
        for binding in self.graph.bindings[name]:
            target = binding.target
            if (
                binding.site is not site
                or not isinstance(target, ToVariable)
                or target.module not in self._now
            ):
                continue
            if site.guarded or target.module == name:
                continue
            names, at = self.graph.modules[target.module], self._now[target.module]
            if not any(top <= at for top in _tops(names, target.name)):
                raise FlattenError(
                    f"{self.graph.modules[name].module.shown} imports {target.name} from {target.module} in "
                    f"a circle, before {target.module} has it: Python cannot import this either"
                )

    def _in_circle(self, name: str, seen: set[str]) -> set[str]:
        """The modules begun and not ended that this one needs while it runs."""
        if name in self._now:
            return {name}
        if name in self._done or name in seen:
            return set()
        seen.add(name)
        found: set[str] = set()
        for load in self._needs(name):
            found |= self._in_circle(load, seen)
        return found

    def _needs(self, name: str) -> Iterator[str]:
        for site in self.graph.modules[name].sites:
            if not site.lazy:
                yield from self.graph.loads_of(name, site)

    def _lacks(self, name: str, seen: set[str]) -> str | None:
        """Why a module cannot be imported at all; None where nothing is seen to be missing."""
        if name in seen or name in self._done or name in self._now:
            return None
        seen.add(name)
        names = self.graph.modules[name]
        for site in names.sites:
            if site.lazy or site.guarded or site.idle:
                continue
            for module in _foreign(self.graph, names, site):
                if not self.graph.finder.installed(module):
                    return f"it imports {module}, which is not installed"
            for load in self.graph.loads_of(name, site):
                missing = self._lacks(load, seen)
                if missing is not None:
                    return missing
        return None


def _tops(names: Names, variable: str) -> list[int]:
    """Positions of the module's own statements that bind a variable."""
    found = []
    for entry in names.table.binders.get((0, variable), ()):
        above = [names.table.all[number].node for number in names.table.ancestors(entry.number)]
        found.append(names.source.tree.body.index(above[-1] if above else entry.node))
    return found


def _foreign(graph: ImportGraph, names: Names, site: Site) -> list[str]:
    if isinstance(site.node, ast.ImportFrom):
        if site.node.level:
            return []
        modules = [site.node.module or ""]
    else:
        modules = [alias.name for alias in site.node.names]
    return [module.split(".")[0] for module in modules if graph.local(module.split(".")[0]) is None]
