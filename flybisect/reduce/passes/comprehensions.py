"""Comprehensions over a known number of rounds, and those that are only indexed: by their elements."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.reduce.labels import without_numbers
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.edit import Edit
from flybisect.source.expressions import bracketed, stands_alone
from flybisect.source.rounds import RANGES, callee, integer, operand, rounds, with_values
from flybisect.source.scopes import Key, Statement, Statements, Use, qualified

Comprehension = ast.ListComp | ast.GeneratorExp
FEW = 4
"""Rounds of a comprehension that is written out; it has to get smaller by it."""
READS = 2
"""Places that read a comprehension whose elements are computed there."""
SHORT = 60
"""Characters of an element that is computed in more than one place."""


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """`[f(0), f(1)]` for `[f(i) for i in range(2)]`; then `f(e)` for every `x[e]` of
    `x = [f(i) for i in range(n)]`, and of the comprehension itself."""
    found: list[Hint] = []
    for entry in table.all:
        for node in own_nodes(entry.node):
            if isinstance(node, Comprehension):
                found += _written_out(table, entry, node)
            elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.ListComp):
                found += _indexed(table, entry, node, node.value)
        found += _named(table, entry)
    return found


def _written_out(table: Statements, entry: Statement, node: Comprehension) -> Iterator[Hint]:
    values = _values(table, node)
    target = _counter(table, entry, node)
    if values is None or target is None or not 1 <= len(values) <= FEW:
        return
    start, end = table.source.span(node.elt)
    texts = [with_values(table, entry, start, end, {target: value}) for value in values]
    if None in texts:
        return
    members = [text if stands_alone(text) else bracketed(text) for text in texts if text is not None]
    if isinstance(node.elt, ast.GeneratorExp):
        members = [bracketed(each) for each in members]
    start, end = table.source.span(node)
    only = (
        isinstance(node, ast.GeneratorExp) and _argument(entry, node) and table.source.text[start - 1] != "("
    )
    text = f"[{', '.join(members)}]"
    if not _is_smaller(text, node):
        return
    label = f"rounds of {qualified(table, entry)}: {without_numbers(ast.unparse(node))}"
    yield Hint(label, Cut(edits=frozenset([Edit(start, end, f"({text})" if only else text)])))


def _is_smaller(text: str, node: ast.expr) -> bool:
    """Fewer nodes of the syntax tree."""
    return sum(1 for _ in ast.walk(ast.parse(text, mode="eval").body)) < sum(1 for _ in ast.walk(node))


def _argument(entry: Statement, node: ast.GeneratorExp) -> bool:
    """True for `f(i for i in x)`, whose brackets are the call's as well."""
    calls = [each for each in own_nodes(entry.node) if isinstance(each, ast.Call)]
    return any(each.args == [node] and not each.keywords for each in calls)


def _values(table: Statements, node: Comprehension) -> list[str] | None:
    """What its variable is, round by round; None where that is not known, or does not only depend on it."""
    generator = node.generators[0]
    if len(node.generators) != 1 or generator.ifs or generator.is_async:
        return None
    if any(isinstance(part, (ast.NamedExpr, ast.Await, ast.Yield, ast.Lambda)) for part in ast.walk(node)):
        return None
    found = rounds(generator.iter)
    if found is not None:
        return [str(each) if each >= 0 else f"({each})" for each in found] if len(found) <= FEW else None
    if isinstance(generator.iter, (ast.List, ast.Tuple)):
        plain = all(isinstance(each, (ast.Name, ast.Constant)) for each in generator.iter.elts)
        single = len(generator.iter.elts) == 1 and not isinstance(generator.iter.elts[0], ast.Starred)
        if plain or single:
            return [operand(table, each) for each in generator.iter.elts]
    return None


def _counter(table: Statements, entry: Statement, node: Comprehension) -> Key | None:
    """The variable of a comprehension over one plain name."""
    target = node.generators[0].target
    if len(node.generators) != 1 or not isinstance(target, ast.Name):
        return None
    scope = table.function_scope.get(node)
    return None if scope is None else (scope.number, target.id)


def _named(table: Statements, entry: Statement) -> Iterator[Hint]:
    """Where a variable is only ever indexed."""
    node = entry.node
    if (
        not isinstance(node, ast.Assign)
        or len(node.targets) != 1
        or not isinstance(node.targets[0], ast.Name)
    ):
        return
    name, value = node.targets[0].id, node.value
    if not isinstance(value, ast.ListComp) or entry.scope.kind == "class":
        return
    key = table.owner(name, entry.scope)
    users = table.users.get(key, [])
    if table.binders.get(key) != [entry] or not users or len(users) > READS:
        return
    if len(users) > 1 and len(table.source.segment(value.elt)) > SHORT:
        return
    edits = [_read(table, entry, value, user, use) for user, use in users]
    if None not in edits:
        cut = Cut(frozenset([entry.number]), edits=frozenset(edit for edit in edits if edit is not None))
        yield Hint(f"indexed {qualified(table, entry)}: {name}", cut)


def _read(table: Statements, entry: Statement, value: ast.ListComp, user: Statement, use: Use) -> Edit | None:
    subscripts = [each for each in own_nodes(user.node) if isinstance(each, ast.Subscript)]
    nodes = [each for each in subscripts if each.value is use.node]
    if len(nodes) != 1 or not isinstance(nodes[0].ctx, ast.Load) or user is entry:
        return None
    if any(each.value is nodes[0] and not isinstance(each.ctx, ast.Load) for each in subscripts):
        return None  # `x[i][0] = …` stores into the element.
    for read in entry.uses:
        key = table.resolve(read.name, read.scope)
        if key is not None and table.scopes[key[0]].kind == "comprehension":
            continue
        if key != table.resolve(read.name, use.scope) or (key and len(table.binders.get(key, ())) > 1):
            return None
    if table.source.text[use.offset : use.offset + len(use.name)] != use.name:
        return None
    chain = _chain(subscripts, nodes[0], value)
    text = _element(table, entry, value, chain)
    return None if text is None else Edit(*table.source.span(chain[-1]), text)


def _indexed(table: Statements, entry: Statement, node: ast.Subscript, value: ast.ListComp) -> Iterator[Hint]:
    subscripts = [each for each in own_nodes(entry.node) if isinstance(each, ast.Subscript)]
    chain = _chain(subscripts, node, value)
    text = _element(table, entry, value, chain)
    if text is not None and all(isinstance(each.ctx, ast.Load) for each in chain):
        label = f"indexed {qualified(table, entry)}: {without_numbers(ast.unparse(node))}"
        yield Hint(label, Cut(edits=frozenset([Edit(*table.source.span(chain[-1]), text)])))


def _chain(
    subscripts: Sequence[ast.Subscript], node: ast.Subscript, value: ast.ListComp
) -> list[ast.Subscript]:
    """`x[i]` and `x[i][j]` of `x[i][j][k]`, where the comprehension holds another one and that none."""
    found, inner = [node], value.elt
    while isinstance(inner, ast.ListComp):
        around = [each for each in subscripts if each.value is found[-1] and isinstance(each.ctx, ast.Load)]
        if not around:
            break
        found.append(around[0])
        inner = inner.elt
    return found


def _element(
    table: Statements, entry: Statement, value: ast.ListComp, chain: Sequence[ast.Subscript]
) -> str | None:
    """The element with each index for its counter of `range(n)`, or that of a list for its member."""
    values: dict[Key, str] = {}
    element: ast.expr = value
    for subscript in chain:
        assert isinstance(element, ast.ListComp)
        counter, new = _counter(table, entry, element), _member(table, element, subscript.slice)
        if counter is None or new is None:
            return None
        values[counter] = new
        element = element.elt
    if any(isinstance(part, (ast.NamedExpr, ast.Await, ast.Yield, ast.Lambda)) for part in ast.walk(value)):
        return None
    text = with_values(table, entry, *table.source.span(element), values)
    return None if text is None else operand(table, element, text)


def _member(table: Statements, value: ast.ListComp, index: ast.expr) -> str | None:
    """What a comprehension's variable is for an index, in brackets where it needs them."""
    generator = value.generators[0]
    if generator.ifs or isinstance(index, (ast.Slice, ast.Tuple)) or _negative(index):
        return None
    if isinstance(generator.iter, (ast.Name, ast.Attribute)):
        return f"{table.source.segment(generator.iter)}[{table.source.segment(index)}]"
    if callee(generator.iter).rpartition(".")[2] not in RANGES:
        return None
    if len(generator.iter.args) != 1 or generator.iter.keywords:  # type: ignore[attr-defined]
        return None
    return operand(table, index)


def _negative(node: ast.expr) -> bool:
    value = integer(node)
    return value is not None and value < 0


PASS = Pass("comprehensions", "comprehensions of a few rounds or only indexed, by their elements", hints)
