"""Which modules a script imports, what each import statement binds, and what stays imported."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from flybisect.source.flatten.modules import (
    MAIN,
    Finder,
    FlattenError,
    Module,
    cleaned,
)
from flybisect.source.flatten.names import Names, Site
from flybisect.source.scopes import Key, Scope

Variable = tuple[str, str]
"""A module's dotted name, and the name of a variable of it."""


@dataclass(frozen=True)
class ToModule:
    """The name stands for a local module."""

    name: str


@dataclass(frozen=True)
class ToVariable:
    """The name stands for what a local module's variable holds."""

    module: str
    name: str


Target = ToModule | ToVariable


@dataclass(frozen=True)
class Binding:
    """One name that an import statement binds. The target is None where the import stays as it is."""

    site: Site
    alias: ast.alias
    name: str
    scope: Scope
    target: Target | None


class Keep(Exception):
    """A module has to stay imported; the graph is made anew without it."""

    def __init__(self, module: str, why: str) -> None:
        super().__init__(module, why)
        self.module = module
        self.why = why


class ImportGraph:
    """The script and the modules that become part of it. Raises Keep and FlattenError."""

    def __init__(
        self, main: Module, finder: Finder, kept: Mapping[str, str], read: dict[str, Names] | None = None
    ) -> None:
        """`read`: modules that an earlier graph has read; this one's are added."""
        self.finder = finder
        self._read = {} if read is None else read
        self.kept = kept
        if main.name not in self._read:
            self._read[main.name] = Names(cleaned(main))
        self.modules: dict[str, Names] = {MAIN: self._read[main.name]}
        self._local: dict[str, Module | None] = {}
        self._provided: dict[str, dict[str, str]] = {}
        self.bindings: dict[str, list[Binding]] = {}
        self.loads: dict[tuple[str, int], list[str]] = {}
        """(module, number of the import statement) → the modules that it makes Python run, in order."""
        waiting = [MAIN]
        while waiting:
            name = waiting.pop(0)
            if name not in self.bindings:
                self.bindings[name] = [
                    b for site in self.modules[name].sites for b in self._bound(name, site)
                ]
                waiting += [load for site in self.modules[name].sites for load in self.loads_of(name, site)]
        self._of_key: dict[tuple[str, Key], list[Binding]] = defaultdict(list)
        for name, found in self.bindings.items():
            for binding in found:
                key = self.modules[name].table.owner(binding.name, binding.scope)
                self._of_key[name, key].append(binding)

    # -- finding -------------------------------------------------------------------------------

    def local(self, name: str) -> Module | None:
        """A module that is to become part of the script."""
        if name not in self._local:
            self._local[name] = None if not name else self.finder.local(name)
        return self._local[name]

    def names(self, name: str) -> Names:
        """A local module's names; it is read the first time."""
        if name not in self.modules:
            module = self.local(name)
            assert module is not None
            if name not in self._read:
                self._read[name] = Names(cleaned(module))
            self.modules[name] = self._read[name]
        return self.modules[name]

    def loads_of(self, name: str, site: Site) -> list[str]:
        return self.loads.get((name, site.entry.number), [])

    def provided(self, name: str, seen: frozenset[str] = frozenset()) -> dict[str, str]:
        """What `import *` statements of a module bring: name → the local module it comes from."""
        if not seen and name in self._provided:
            return self._provided[name]
        found: dict[str, str] = {}
        for site in self.names(name).sites:
            if isinstance(site.node, ast.ImportFrom) and site.node.names[0].name == "*":
                base = site.base(self.names(name))
                if self.local(base) is not None and base not in self.kept and base not in seen | {name}:
                    found.update(dict.fromkeys(self.starred(base, seen | {name}), base))
        if not seen:
            self._provided[name] = found
        return found

    def starred(self, name: str, seen: frozenset[str] = frozenset()) -> list[str]:
        """The names that `from name import *` binds."""
        listed = self.names(name).cleaned.listed
        if listed is not None:
            return list(listed)
        every = [*sorted(self.names(name).bound), *sorted(self.provided(name, seen))]
        return [each for each in dict.fromkeys(every) if not each.startswith("_")]

    def binds(self, name: str, variable: str) -> bool:
        return variable in self.names(name).bound or variable in self.provided(name)

    def _bound(self, name: str, site: Site) -> Iterator[Binding]:
        if site.idle:
            for alias in site.node.names:
                yield Binding(site, alias, _first(alias), site.entry.scope, None)
        elif isinstance(site.node, ast.Import):
            yield from self._imported(name, site, site.node)
        else:
            yield from self._imported_from(name, site, site.node)

    def _imported(self, name: str, site: Site, node: ast.Import) -> Iterator[Binding]:
        for alias in node.names:
            target = None
            if self._load(name, site, alias.name):
                shown = alias.name if alias.asname else alias.name.split(".")[0]
                target = ToModule(shown)
            yield Binding(site, alias, _first(alias), site.entry.scope, target)

    def _imported_from(self, name: str, site: Site, node: ast.ImportFrom) -> Iterator[Binding]:
        base = site.base(self.names(name))
        loaded = self._load(name, site, base)
        if loaded and node.names[0].name == "*":
            for each in self.starred(base):
                yield Binding(site, ast.alias(each), each, site.entry.scope, self._starred_target(base, each))
            return
        targets = [self._member(name, site, base, alias.name) if loaded else None for alias in node.names]
        if loaded and None in targets:
            # It fails when it runs, and whoever wrote it copes with that.
            self.loads[name, site.entry.number] = []
            targets = [None for _ in targets]
        for alias, target in zip(node.names, targets, strict=True):
            yield Binding(site, alias, alias.asname or alias.name, site.entry.scope, target)

    def _starred_target(self, base: str, name: str) -> Target:
        inner = f"{base}.{name}"
        known = self.binds(base, name) or self.local(inner) is None
        return ToVariable(base, name) if known else ToModule(inner)

    def _member(self, name: str, site: Site, base: str, member: str) -> Target | None:
        inner = f"{base}.{member}"
        # `from . import x` in a package's own file binds the very name that it asks for.
        own = base == name and self.local(inner) is not None
        if self.binds(base, member) and not own:
            return ToVariable(base, member)
        if self.local(inner) is not None:
            return self._inner(name, site, base, inner)
        if self.binds(base, "__getattr__") or self._foreign_stars(base):
            raise Keep(base, f"what it has is not known before it runs ({member} of it is imported)")
        if member.startswith("__") and member.endswith("__"):
            raise Keep(base, f"its {member} is imported")
        if site.guarded or site.lazy:
            return None
        raise FlattenError(
            f"{self.names(name).module.shown}, line {self._line(name, site)}, imports {member} from {base}, "
            f"which has no such name"
        )

    def _inner(self, name: str, site: Site, base: str, inner: str) -> Target | None:
        if self._load(name, site, inner):
            return ToModule(inner)
        # Beside it in the same statement may stand what is not kept; two ways to one package are too many.
        raise Keep(base, f"{inner} of it is left imported")

    def _foreign_stars(self, name: str) -> bool:
        names = self.names(name)
        return any(
            site.node.names[0].name == "*"
            and (self.local(site.base(names)) is None or site.base(names) in self.kept)
            for site in names.sites
            if isinstance(site.node, ast.ImportFrom)
        )

    def _line(self, name: str, site: Site) -> int:
        """In the module's file."""
        names = self.names(name)
        cut = names.module.text[: site.entry.start].count("\n")
        taken = self._taken_lines(name)
        return cut + 1 + taken

    def _taken_lines(self, name: str) -> int:
        module = self.local(name) if name != MAIN else None
        whole = module.text if module is not None else self.modules[name].module.text
        return whole.count("\n") - self.names(name).module.text.count("\n")

    def _load(self, name: str, site: Site, dotted: str) -> bool:
        """Note that the statement makes Python run a module, and its packages. False: it stays imported."""
        parts = dotted.split(".")
        chain = [".".join(parts[: count + 1]) for count in range(len(parts))]
        if self.local(chain[0]) is None:
            relative = isinstance(site.node, ast.ImportFrom) and site.node.level > 0
            if relative and not (site.guarded or site.lazy):
                raise FlattenError(self._missing(name, site, dotted))
            return False
        for each in chain:
            if self.local(each) is None:
                if site.guarded or site.lazy:
                    return False
                raise FlattenError(self._missing(name, site, dotted))
        if any(each in self.kept for each in chain):
            return False
        for each in chain:
            self.names(each)
        loads = self.loads.setdefault((name, site.entry.number), [])
        loads += [each for each in chain if each not in loads]
        return True

    def _missing(self, name: str, site: Site, dotted: str) -> str:
        shown = self.names(name).module.shown
        line = self._line(name, site)
        return f"{shown}, line {line}, imports {dotted}, which is not there beside the script's other modules"

    # -- what names stand for -------------------------------------------------------------------

    def bindings_of(self, name: str, key: Key) -> list[Binding]:
        return self._of_key.get((name, key), [])

    def only_imported(self, name: str, key: Key) -> bool:
        """True where nothing but import statements binds the variable, and nothing changes it."""
        names = self.modules[name]
        statements = {binding.site.entry.number for binding in self.bindings_of(name, key)}
        binders = {entry.number for entry in names.table.binders.get(key, ())}
        changed = any(not found.reads for found in names.at.get(key, ()))
        return bool(statements) and binders <= statements and not changed

    def module_of(self, name: str, key: Key, seen: frozenset[Variable] = frozenset()) -> str | None:
        """The local module that a variable always stands for; None where it stands for anything else."""
        targets = {binding.target for binding in self.bindings_of(name, key)}
        if len(targets) != 1 or not self.only_imported(name, key):
            return None
        target = targets.pop()
        if isinstance(target, ToModule):
            return target.name
        if target is None or (target.module, target.name) in seen or target.module not in self.modules:
            return None
        return self.module_at(target.module, target.name, seen | {(target.module, target.name)})

    def module_at(self, name: str, variable: str, seen: frozenset[Variable] = frozenset()) -> str | None:
        """As `module_of`, of a module's variable, or of what is no variable but a module inside a package."""
        if self.bindings_of(name, (0, variable)):
            return self.module_of(name, (0, variable), seen)
        if self.binds(name, variable):
            return None
        inner = f"{name}.{variable}"
        return inner if inner in self.bindings and inner not in self.kept else None


def _first(alias: ast.alias) -> str:
    return alias.asname or alias.name.split(".")[0]
