"""Which variables of the modules are one, and what each is called in the script."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from flybisect.source.flatten.graph import (
    Binding,
    ImportGraph,
    Keep,
    ToVariable,
    Variable,
)
from flybisect.source.flatten.modules import MAIN
from flybisect.source.flatten.names import Names, Occurrence
from flybisect.source.flatten.order import Order
from flybisect.source.flatten.uses import Reach, constant, reaches
from flybisect.source.fresh import fresh
from flybisect.source.scopes import Scope


@dataclass
class _Group:
    """Variables of one name that are one variable of the script."""

    members: set[Variable]
    barred: bool = False
    """A local variable of its name stands where it is used."""
    name: str = ""


@dataclass
class Variables:
    """`called` gives each variable's name in the script."""

    graph: ImportGraph
    order: Order
    reaches: dict[str, list[Reach]] = field(default_factory=dict)
    renamed: list[tuple[str, str, str]] = field(default_factory=list)
    """(module, name, name in the script), in the order of the modules."""
    objects: dict[str, str] = field(default_factory=dict)
    """Modules that are used as objects → the name of what stands for them."""
    constants: dict[str, list[tuple[Occurrence, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._groups: dict[Variable, _Group] = {}
        self._taken = _identifiers(self.graph)
        every = [reach for name in self.order.order for reach in reaches(self.graph, name)]
        self._set = {reach.variable for reach in every if reach.variable and _sets(reach.node)}
        self.reaches = {name: list(reaches(self.graph, name, self._set)) for name in self.order.order}
        self._as_object = self._objects()
        self.constants = {name: list(self._constants(name)) for name in self.order.order}
        for name in self.order.order:
            for variable in sorted(self.graph.modules[name].bound):
                if self.graph.module_of(name, (0, variable)) is None:
                    self._group((name, variable))
        for each in sorted(self._set):
            self._group(each)
        self._join_imports()
        self._join_foreign()
        self._bar()
        self._name()
        for module in sorted(self._as_object):
            self.objects[module] = self.fresh(f"{module.rpartition('.')[2]}_module")

    # -- asking ----------------------------------------------------------------------------------

    def called(self, variable: Variable) -> str:
        """The variable's name in the script."""
        group = self._groups.get(self.owner(variable))
        return variable[1] if group is None else group.name

    def owner(self, variable: Variable) -> Variable:
        """The variable itself, or the one that an `import *` has it from."""
        module, name = variable
        if name not in self.graph.modules[module].bound and variable not in self._set:
            source = self.graph.provided(module).get(name)
            if source is not None and source in self.graph.modules:
                return self.owner((source, name))
        return variable

    def same(self, one: Variable, other: Variable) -> bool:
        return self._groups.get(self.owner(one)) is self._groups.get(self.owner(other))

    def needless(self, name: str, binding: Binding) -> bool:
        """True where the name means the same without the import statement."""
        target = binding.target
        if not isinstance(target, ToVariable):
            return False
        variable = (target.module, target.name)
        names = self.graph.modules[name]
        key = names.table.owner(binding.name, binding.scope)
        if key[0] == 0:
            return self.same((name, binding.name), variable)
        return self._plain_local(names, name, binding) and self.called(variable) == binding.name

    # -- objects and constants -------------------------------------------------------------------

    def _objects(self) -> set[str]:
        """Modules that are passed on, or asked for what is not known, and the modules inside them."""
        found = {r.module for each in self.reaches.values() for r in each if not (r.variable or r.constant)}
        waiting = [*found, *self._bound_otherwise()]
        found.clear()
        while waiting:
            module = waiting.pop()
            if module not in found:
                found.add(module)
                waiting += self.inner(module).values()
        return found

    def inner(self, module: str) -> dict[str, str]:
        """The local modules that a module has as attributes."""
        names = self.graph.modules[module]
        below = [each.rpartition(".")[2] for each in self.order.order if each.rpartition(".")[0] == module]
        found = {each: self.graph.module_at(module, each) for each in [*sorted(names.bound), *below]}
        return {each: inner for each, inner in found.items() if inner is not None}

    def _constants(self, name: str) -> Iterator[tuple[Occurrence, str]]:
        """Where a module that is not the script reads its `__name__` and the like, and the text for it."""
        names = self.graph.modules[name]
        for free, found in names.free.items() if name != MAIN else ():
            text = constant(names.module, names.cleaned.docstring, free)
            yield from ((each, text) for each in found if text is not None)

    # -- joining ---------------------------------------------------------------------------------

    def _group(self, variable: Variable) -> _Group:
        return self._groups.setdefault(variable, _Group({variable}))

    def _join(self, one: Variable, other: Variable) -> None:
        first, second = self._group(one), self._group(other)
        if first is not second:
            first.members |= second.members
            for member in second.members:
                self._groups[member] = first

    def _bound_otherwise(self) -> set[str]:
        """Modules that an import gives to a name which may stand for something else, too."""
        found = set()
        for name in self.order.order:
            for binding in self.graph.bindings[name]:
                module = self._object_of(binding)
                key = self.graph.modules[name].table.owner(binding.name, binding.scope)
                if module is not None and (
                    self.graph.module_of(name, key) is None or binding.scope.kind == "class"
                ):
                    found.add(module)
        return found

    def stands_for_module(self, binding: Binding) -> bool:
        """True where an import gives its name a local module."""
        return self._object_of(binding) is not None

    def _object_of(self, binding: Binding) -> str | None:
        target = binding.target
        if isinstance(target, ToVariable):
            return self.graph.module_at(target.module, target.name)
        return None if target is None else target.name

    def module_for(self, name: str, binding: Binding) -> str | None:
        """The module that an import statement still has to give its name; None where uses were rewritten."""
        module = self._object_of(binding)
        key = self.graph.modules[name].table.owner(binding.name, binding.scope)
        rewritten = self.graph.module_of(name, key) is not None and binding.scope.kind != "class"
        return None if module is None or rewritten else module

    def _join_imports(self) -> None:
        for name in self.order.order:
            for binding in self.graph.bindings[name]:
                target = binding.target
                key = self.graph.modules[name].table.owner(binding.name, binding.scope)
                if not isinstance(target, ToVariable) or key[0] != 0 or target.name != binding.name:
                    continue
                if self._one_value(name, binding, target):
                    self._join(self.owner((target.module, target.name)), (name, binding.name))

    def _one_value(self, name: str, binding: Binding, target: ToVariable) -> bool:
        """True where importer and imported always hold the same."""
        targets = {each.target for each in self.graph.bindings_of(name, (0, binding.name))}
        if targets != {target} or not self.graph.only_imported(name, (0, binding.name)):
            return False
        if not self._steady((name, binding.name)) or not self._steady((target.module, target.name)):
            return False
        early = (name, target.module) in self.order.early
        owner = self.owner((target.module, target.name))
        return not early or self.graph.modules[owner[0]].single(owner[1])

    def _steady(self, variable: Variable) -> bool:
        """True where the variable keeps its value once its module has run."""
        module, name = self.owner(variable)
        changed = self.graph.modules[module].rebinds(name) or (module, name) in self._set
        return not changed and module not in self._as_object

    def _join_foreign(self) -> None:
        """`import torch` in two modules is one variable."""
        found: dict[tuple[str, frozenset[str]], list[Variable]] = defaultdict(list)
        for name in self.order.order:
            names = self.graph.modules[name]
            for variable in sorted(names.bound):
                says = _says(self.graph, names, variable)
                if says is not None and self._steady((name, variable)):
                    found[variable, says].append((name, variable))
        for same in found.values():
            for other in same[1:]:
                self._join(same[0], other)

    # -- naming ----------------------------------------------------------------------------------

    def _bar(self) -> None:
        """Find names under which a variable would be taken for a local one."""
        for name in self.order.order:
            names = self.graph.modules[name]
            for reach in self.reaches[name]:
                if reach.variable is not None and not _sets(reach.node):
                    self._bar_in(names, reach.occurrence.scope, reach.variable)
            for binding in self.graph.bindings[name]:
                if not isinstance(binding.target, ToVariable) or self._object_of(binding) is not None:
                    continue
                variable = (binding.target.module, binding.target.name)
                key = names.table.owner(binding.name, binding.scope)
                if key[0] == 0 or binding.scope.kind == "class":
                    continue
                if binding.name == variable[1] and self._plain_local(names, name, binding):
                    continue
                self._bar_in(names, binding.scope, variable)

    def _bar_in(self, names: Names, scope: Scope, variable: Variable) -> None:
        key = names.table.resolve(variable[1], scope)
        if key is not None and key[0] != 0:
            group = self._groups.get(self.owner(variable))
            if group is not None:
                group.barred = True

    def _plain_local(self, names: Names, name: str, binding: Binding) -> bool:
        """True where a local name is nothing but this import, and no other local one hides behind it."""
        key = names.table.owner(binding.name, binding.scope)
        target = binding.target
        assert isinstance(target, ToVariable)
        if {each.target for each in self.graph.bindings_of(name, key)} != {target}:
            return False
        if not self.graph.only_imported(name, key) or not self._steady((target.module, target.name)):
            return False
        outer = names.table.scopes[key[0]].parent
        behind = None if outer is None else names.table.resolve(binding.name, outer)
        return binding.scope.kind == "function" and (behind is None or behind[0] == 0)

    def _name(self) -> None:
        readers: dict[str, set[str]] = defaultdict(set)
        for name in self.order.order:
            stars = self.graph.provided(name)
            special = {found.name for found, _ in self.constants[name]}
            for free in self.graph.modules[name].free:
                if free not in stars and free not in special:
                    readers[free].add(name)
        by_name: dict[str, list[_Group]] = defaultdict(list)
        for group in {id(group): group for group in self._groups.values()}.values():
            by_name[min(group.members)[1]].append(group)
        for name, groups in sorted(by_name.items()):
            self._share_out(name, groups, bool(readers[name]))

    def _share_out(self, name: str, groups: list[_Group], read_free: bool) -> None:
        """One of the groups may keep the name; none where a module means something else by it."""
        groups.sort(key=lambda group: self._rank(group))
        for at, group in enumerate(groups):
            keeps = at == 0 and not read_free and not group.barred
            # Alone with a name that the script itself reads as another is what the script was like.
            if keeps:
                group.name = name
                continue
            self._refuse_fixed(group)
            first = min(group.members, key=lambda member: self.order.order.index(member[0]))
            group.name = self.fresh(f"{first[0].rpartition('.')[2].strip('_')}_{name}")
            for module, _ in sorted(group.members):
                self.renamed.append((module, name, group.name))

    def _rank(self, group: _Group) -> tuple[bool, bool, bool, int]:
        modules = {module for module, _ in group.members}
        fixed = any(self.graph.modules[module].fixed for module in modules)
        return (
            group.barred,
            not fixed,
            MAIN not in modules,
            min(self.order.order.index(module) for module in modules),
        )

    def _refuse_fixed(self, group: _Group) -> None:
        for module, _ in sorted(group.members):
            why = self.graph.modules[module].fixed
            if why is not None and module != MAIN:
                raise Keep(module, f"it {why}")
        if any(module == MAIN and self.graph.modules[MAIN].fixed for module, _ in group.members):
            others = [module for module in self.order.order if module != MAIN]
            raise Keep(others[-1], "the script looks variables up by name, and names collide")

    def fresh(self, wanted: str) -> str:
        """A name that stands nowhere yet."""
        return fresh(wanted, self._taken)


def _sets(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)


def _says(graph: ImportGraph, names: Names, variable: str) -> frozenset[str] | None:
    """What the statements that bind a variable say, where they are imports that stay, or constants."""
    said = set()
    imported = False
    if any(
        isinstance(names.parents.get(each.node), ast.AugAssign) for each in names.at.get((0, variable), ())
    ):
        return None
    for entry in names.table.binders.get((0, variable), ()):
        node = entry.node
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            of = [b for b in graph.bindings_of(names.name, (0, variable)) if b.site.entry is entry]
            if any(b.target is not None for b in of) or (isinstance(node, ast.ImportFrom) and node.level):
                return None
            base = f"{node.module}:" if isinstance(node, ast.ImportFrom) else ""
            said |= {f"{base}{b.alias.name}" if b.alias.asname or base else f"{variable}." for b in of}
            imported = True
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and len(node.targets) == 1:
            said.add(f"={node.value.value!r}")
        else:
            return None
    return frozenset(said) if imported or len(said) == 1 else None


def _identifiers(graph: ImportGraph) -> set[str]:
    """Every name that stands anywhere."""
    found: set[str] = set()
    for names in graph.modules.values():
        for scope in names.table.scopes:
            found |= scope.bound
        found |= set(names.free)
    return found
