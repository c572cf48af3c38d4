"""Elements of sequences that go through functions and variables whole, in all places at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.edit import Edit
from flybisect.source.elements import Element
from flybisect.source.expressions import bracketed, stands_alone
from flybisect.source.packs import Pack, members, packs
from flybisect.source.scopes import Key, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For each pack that is handed on: each of its elements, from where it is made to where it is read. Of
    two elements the one left takes the place of the pack."""
    found: list[Hint] = []
    for pack in packs(table):
        length = pack.length
        if length is None or len(set(pack.names)) + len(pack.spreads) < 2:
            continue
        for at in range(length):
            cut = _without(table, pack, at, length)
            if cut is not None:
                found.append(Hint(f"element {at} of {length} of {', '.join(sorted(set(pack.names)))}", cut))
    return found


def _without(table: Statements, pack: Pack, at: int, length: int) -> Cut | None:
    single = length == 2
    if length < 2 or (single and (pack.carried or pack.copied)):
        return None
    passed = _parameters(table, pack, at, length)
    if passed is None:
        return None
    elements, edits, lost = passed
    for _, display, element in members(pack, at):
        if single:
            edits.add(Edit(*table.source.span(display), _alone(table, display.elts[1 - at])))
        else:
            elements.add(Element(display, element))
    statements = {entry.number for entry, _, index in pack.items if index == at}
    for _, node, index in pack.items:
        if single and index != at:
            edits.add(Edit(*table.source.span(node), table.source.segment(node.value)))
        elif index > at:
            edits.add(Edit(*table.source.span(node.slice), str(index - 1)))
    lost |= _only(table, pack, at)
    return Cut(frozenset(statements), frozenset(elements), frozenset(edits), frozenset(lost))


def _alone(table: Statements, node: ast.expr) -> str:
    text = table.source.segment(node)
    return text if stands_alone(text) else bracketed(text)


def _parameters(
    table: Statements, pack: Pack, at: int, length: int
) -> tuple[set[Element], set[Edit], set[Key]] | None:
    """The parameters that the element is spread over, with what other calls give them; None where a call
    spreads something else over them."""
    elements: set[Element] = set()
    edits: set[Edit] = set()
    lost: set[Key] = set()
    for function, first in {(function, first) for _, function, first in pack.spreads}:
        parameters = [*function.args.posonlyargs, *function.args.args]
        if first + length > len(parameters):
            return None
        parameter = parameters[first + at]
        elements.add(Element(function, parameter))
        lost.add((table.function_scope[function].number, parameter.arg))
        spread = [(entry, start) for entry, each, start in pack.spreads if each is function]
        if any(start != first for _, start in spread):
            return None
        for call in _calls(table, function):
            stars = _stars(call)
            if not stars and first + at < len(call.args):
                elements.add(Element(call, call.args[first + at]))
            elements |= {Element(call, each) for each in call.keywords if each.arg == parameter.arg}
            if stars and length == 2:
                edits.add(Edit(*table.source.span(stars[0]), table.source.segment(stars[0].value)))
        others = [call for call in _calls(table, function) if _stars(call)]
        if len(others) != len(spread):
            return None
    return elements, edits, lost


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


def _only(table: Statements, pack: Pack, at: int) -> set[Key]:
    """Variables that get a value in no other way than from the element."""
    statements = [entry for entry, _, _ in members(pack, at)]
    keys = {
        table.owner(node.id, entry.scope)
        for entry, _, element in members(pack, at)
        for node in ast.walk(element)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return {key for key in keys if all(each in statements for each in table.binders.get(key, ()))}


PASS = Pass("packs", "elements of sequences that are handed on whole, in all places", hints)
