"""Elements of sequences that go through functions and variables whole, in all places at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.edit import Edit
from flybisect.source.elements import Element, span
from flybisect.source.expressions import stands_alone
from flybisect.source.packs import Pack, packs
from flybisect.source.scopes import Key, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For each pack that is handed on: each of its elements, from where it is made to where it is read. Of
    two elements the one left takes the place of the pack."""
    every = [pack for pack in packs(table) if pack.length is not None]
    found: list[Hint] = []
    seen: set[Cut] = set()
    for number, pack in enumerate(every):
        if len(set(pack.names)) + len(pack.spreads) < 2:
            continue
        for at in range(pack.length or 0):
            going = _Going(table, every)
            going.add(number, at)
            cut = going.cut()
            if cut is not None and cut not in seen:
                seen.add(cut)
                label = f"element {at} of {pack.length} of {', '.join(sorted(set(pack.names)))}"
                more = len(going.positions) - 1
                found.append(Hint(f"{label}{f' and {more} more' if more else ''}", cut))
    return found


@dataclass
class _Going:
    """Elements that go together: one that is made of another one's goes with it, and one that reads it."""

    table: Statements
    packs: list[Pack]
    positions: set[tuple[int, int]] = field(default_factory=set)
    """Of packs in `packs`, and elements in these."""
    lost: set[Key] = field(default_factory=set)
    statements: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._owners: dict[int, tuple[int, int]] = {}
        for number, pack in enumerate(self.packs):
            for _, display in pack.displays:
                for at, element in enumerate(display.elts):
                    self._owners.update({id(node): (number, at) for node in ast.walk(element)})

    def add(self, number: int, at: int) -> None:
        """An element, with all that goes because of it."""
        if (number, at) in self.positions:
            return
        self.positions.add((number, at))
        pack = self.packs[number]
        for entry, node, index in pack.items:
            if index != at:
                continue
            owner = self._owners.get(id(node))
            if owner is None:
                self.statements.add(entry.number)
            else:
                self.add(*owner)
        for key in [*_targets(self.table, pack, at), *_parameters(self.table, pack, at)]:
            if key not in self.lost:
                self.lost.add(key)
                for _, use in self.table.users.get(key, ()):
                    owner = self._owners.get(id(use.node))
                    if owner is not None:
                        self.add(*owner)

    def cut(self) -> Cut | None:
        """None where nothing would be left of a pack, or one element that cannot stand for it."""
        elements: set[Element] = set()
        edits: set[Edit] = set()
        for number in {number for number, _ in self.positions}:
            going = frozenset(at for each, at in self.positions if each == number)
            pack, left = self.packs[number], (self.packs[number].length or 0) - len(going)
            if left < 1 or (left == 1 and (pack.carried or pack.copied)) or not _passed_on(self.table, pack):
                return None
            found = _without(self.table, pack, going, single=left == 1)
            elements |= found[0]
            edits |= found[1]
        return Cut(frozenset(self.statements), frozenset(elements), frozenset(edits), frozenset(self.lost))


def _without(
    table: Statements, pack: Pack, going: frozenset[int], single: bool
) -> tuple[set[Element], set[Edit]]:
    """What takes the elements out of the places that a pack goes through; `single`: one is left."""
    elements: set[Element] = set()
    edits: set[Edit] = set()
    for _, display in pack.displays:
        kept = [node for at, node in enumerate(display.elts) if at not in going]
        if single:
            edits |= _alone(table, display, kept[0])
        else:
            elements |= {Element(display, display.elts[at]) for at in going}
    for _, node, index in pack.items:
        if index not in going and single:
            edits.add(Edit(table.source.span(node.value)[1], table.source.span(node)[1]))
        elif index not in going and any(at < index for at in going):
            before = sum(at < index for at in going)
            edits.add(Edit(*table.source.span(node.slice), str(index - before)))
    for _, function, first in pack.spreads:
        parameters = [*function.args.posonlyargs, *function.args.args]
        for at in going:
            parameter = parameters[first + at]
            elements.add(Element(function, parameter))
            for call in _calls(table, function):
                if not _stars(call) and first + at < len(call.args):
                    elements.add(Element(call, call.args[first + at]))
                elements |= {Element(call, each) for each in call.keywords if each.arg == parameter.arg}
        for star in (star for call in _calls(table, function) for star in _stars(call)):
            if single:
                edits.add(Edit(table.source.span(star)[0], table.source.span(star.value)[0]))
    return elements, edits


def _alone(table: Statements, display: ast.Tuple | ast.List, node: ast.expr) -> set[Edit]:
    """The element in the place of its display."""
    start, end = table.source.span(display)
    first, last = span(table.source, display, node)
    brackets = ("", "") if stands_alone(table.source.text[first:last]) else ("(", ")")
    return {Edit(start, first, brackets[0]), Edit(last, end, brackets[1])} - {
        Edit(start, start),
        Edit(end, end),
    }


def _passed_on(table: Statements, pack: Pack) -> bool:
    """False where a function that it is spread over gets something else that way as well."""
    for function in {function for _, function, _ in pack.spreads}:
        starts = [start for _, each, start in pack.spreads if each is function]
        count = len(function.args.posonlyargs) + len(function.args.args)
        if len(set(starts)) != 1 or starts[0] + (pack.length or 0) > count:
            return False
        if sum(bool(_stars(call)) for call in _calls(table, function)) != len(starts):
            return False
    return True


def _stars(call: ast.Call) -> list[ast.Starred]:
    return [each for each in call.args if isinstance(each, ast.Starred)]


def _calls(table: Statements, function: ast.FunctionDef) -> Iterator[ast.Call]:
    entry = table.by_node[function]
    users = table.users.get(table.owner(function.name, entry.scope), ())
    names = {id(use.node) for _, use in users}
    for user in {user.number: user for user, _ in users}.values():
        for node in own_nodes(user.node):
            if isinstance(node, ast.Call) and id(node.func) in names:
                yield node


def _parameters(table: Statements, pack: Pack, at: int) -> Iterator[Key]:
    """Those that the element is spread over."""
    for _, function, first in pack.spreads:
        parameters = [*function.args.posonlyargs, *function.args.args]
        if first + at < len(parameters):
            yield table.function_scope[function].number, parameters[first + at].arg


def _targets(table: Statements, pack: Pack, at: int) -> Iterator[Key]:
    """Variables that get a value in no other way than from the element."""
    statements = [entry for entry, _ in pack.displays]
    for entry, display in pack.displays:
        for node in ast.walk(display.elts[at]):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                key = table.owner(node.id, entry.scope)
                if all(each in statements for each in table.binders.get(key, ())):
                    yield key


PASS = Pass("packs", "elements of sequences that are handed on whole, in all places", hints)
