"""Lists, tuples and dicts that are only indexed by constants: each element by a name of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.edit import Edit
from flybisect.source.elements import pairs, span
from flybisect.source.expressions import bracketed, stands_alone
from flybisect.source.fresh import fresh
from flybisect.source.rounds import integer, operand
from flybisect.source.scopes import Key, Statement, Statements, qualified

Index = int | str
MOST = 64
"""Elements of a container that is taken apart."""


@dataclass(frozen=True)
class _Item:
    """One read of an element, or one store into it."""

    statement: Statement
    node: ast.Subscript
    index: Index

    @property
    def stores(self) -> bool:
        return isinstance(self.node.ctx, ast.Store)


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """`x_0, x_1 = a, b` for `x = [a, b]`, with `x_0` for `x[0]`; then `b` for `[a, b][1]`."""
    return [*_named(table), *_direct(table)]


def _named(table: Statements) -> Iterator[Hint]:
    for entry in table.all:
        node = entry.node
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or entry.scope.kind == "class":
            continue
        target, value = node.targets[0], node.value
        bound = [(target, value)] if isinstance(target, ast.Name) else pairs(node)
        for name, container in bound:
            cut = _apart(table, entry, name, container) if isinstance(name, ast.Name) else None
            if cut is not None:
                yield Hint(f"elements of {qualified(table, entry)}: {name.id}", cut)  # type: ignore[attr-defined]


def _apart(table: Statements, entry: Statement, target: ast.Name, value: ast.expr) -> Cut | None:
    key = table.owner(target.id, entry.scope)
    given = elements_of(table, value)
    if given is None or table.binders.get(key) != [entry]:
        return None
    items = _items(table, entry, key, given)
    if not items:
        return None
    used = [index for index in given if any(item.index == index for item in items)]
    names = _names(table, target.id, used)
    kept = [index for index in used if given[index] != "None" or not _stored_first(entry, items, index)]
    edits = {Edit(*table.source.span(item.node), names[item.index]) for item in items}
    if pairs(entry.node):
        edits |= _spliced(table, entry.node, target, names, given, kept)  # type: ignore[arg-type]
        return Cut(edits=frozenset(edits)) if kept else None
    if not kept:
        return Cut(statements=frozenset([entry.number]), edits=frozenset(edits))
    left, right = ", ".join(names[index] for index in kept), ", ".join(given[index] for index in kept)
    return Cut(edits=frozenset(edits | {Edit(entry.start, entry.end, f"{left} = {right}")}))


def elements_of(table: Statements, value: ast.expr) -> Mapping[Index, str] | None:
    """Index → text of a display's elements, and of `[None] * 4`; None for what has no known length."""
    if isinstance(value, ast.Dict):
        keys = [each.value if isinstance(each, ast.Constant) else None for each in value.keys]
        if not all(isinstance(each, (int, str)) and not isinstance(each, bool) for each in keys):
            return None
        found = {key: operand(table, each) for key, each in zip(keys, value.values, strict=True)}
        return found if 0 < len(found) == len(keys) <= MOST else None  # type: ignore[return-value]
    count = 1
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        times = integer(value.right)
        if not isinstance(value.left, (ast.List, ast.Tuple)) or times is None:
            return None
        if not all(isinstance(each, (ast.Constant, ast.Name)) for each in value.left.elts):
            return None
        value, count = value.left, times
    if not isinstance(value, (ast.List, ast.Tuple)):
        return None
    if any(isinstance(each, (ast.Starred, ast.NamedExpr)) for each in value.elts):
        return None
    texts = [_text(table, value, each) for each in value.elts] * count
    return dict(enumerate(texts)) if 0 < len(texts) <= MOST else None


def _text(table: Statements, display: ast.expr, element: ast.expr) -> str:
    text = table.source.text[slice(*span(table.source, display, element))]
    return text if stands_alone(text) else bracketed(text)


def _items(table: Statements, entry: Statement, key: Key, given: Mapping[Index, str]) -> list[_Item]:
    """Where elements are read and stored; empty where the container is used in another way, too."""
    found: list[_Item] = []
    for user, use in table.users.get(key, ()):
        if user is entry:
            return []
        nodes = [each for each in own_nodes(user.node) if isinstance(each, ast.Subscript)]
        around = [each for each in nodes if each.value is use.node]
        if len(around) != 1 or isinstance(around[0].ctx, ast.Del):
            return []
        index = _index(around[0].slice, given)
        item = None if index is None else _Item(user, around[0], index)
        if item is None or (item.stores and (use.scope is not entry.scope or _in_comprehension(item))):
            return []
        if table.source.text[use.offset : use.offset + len(use.name)] != use.name:
            return []  # Inside an f-string, where Python before 3.12 gives no positions.
        found.append(item)
    return found


def _in_comprehension(item: _Item) -> bool:
    """True for `[0 for x[0] in y]`, which would bind a name of the comprehension."""
    nodes = own_nodes(item.statement.node)
    return any(isinstance(each, ast.comprehension) and item.node in ast.walk(each.target) for each in nodes)


def _index(node: ast.expr, given: Mapping[Index, str]) -> Index | None:
    """A constant index that the container has, a negative one as Python counts it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value if node.value in given else None
    value = integer(node)
    if value is not None and value < 0 and value not in given:
        value += len(given)
    return value if value in given else None


def _stored_first(entry: Statement, items: Sequence[_Item], index: Index) -> bool:
    """True where an element gets its value behind the container, in the same block, before all its reads."""
    own = [item for item in items if item.index == index]
    plain = [
        item
        for item in own
        if item.stores
        and isinstance(item.statement.node, ast.Assign)
        and (item.statement.parent, item.statement.block) == (entry.parent, entry.block)
    ]
    if not plain:
        return False
    first = min(plain, key=lambda item: item.statement.start).statement
    return all(item.statement is first or item.statement.start > first.start for item in own) and not any(
        item.statement is first and not item.stores for item in own
    )


def _names(table: Statements, name: str, used: Sequence[Index]) -> dict[Index, str]:
    """The container's own name where one element is used alone."""
    if len(used) == 1:
        return {used[0]: name}
    taken = {each for scope in table.scopes for each in scope.bound}
    taken |= {use.name for entry in table.all for use in entry.uses}
    return {index: fresh(f"{name}_{_tail(index)}", taken) for index in used}


def _tail(index: Index) -> str:
    """What a name may end on."""
    return re.sub(r"\W", "_", str(index))


def _spliced(
    table: Statements,
    node: ast.Assign,
    target: ast.Name,
    names: Mapping[Index, str],
    given: Mapping[Index, str],
    kept: Sequence[Index],
) -> set[Edit]:
    """The elements as further pairs of the parallel assignment that the container is part of."""
    value = next(value for each, value in pairs(node) if each is target)
    targets, values = node.targets[0], node.value
    return {
        Edit(*span(table.source, targets, target), ", ".join(names[index] for index in kept)),
        Edit(*span(table.source, values, value), ", ".join(given[index] for index in kept)),
    }


def _direct(table: Statements) -> Iterator[Hint]:
    for entry in table.all:
        for node in own_nodes(entry.node):
            if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
                continue
            given = elements_of(table, node.value)
            index = None if given is None else _index(node.slice, given)
            if given is None or index is None or not isinstance(node.value, (ast.List, ast.Tuple, ast.Dict)):
                continue
            element = (
                node.value.values[list(given).index(index)]
                if isinstance(node.value, ast.Dict)
                else (node.value.elts[int(index)])
            )
            label = f"element of {qualified(table, entry)}: {ast.unparse(node)}"
            yield Hint(label, Cut(edits=frozenset([Edit(*table.source.span(node), operand(table, element))])))


PASS = Pass("containers", "elements of lists, tuples and dicts, by names of their own", hints)
