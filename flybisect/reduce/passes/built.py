"""Lists that are built element by element: as one display or comprehension."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.reduce.passes.containers import elements_of
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.expressions import bracketed, stands_alone
from flybisect.source.rounds import integer, read_behind, rounds
from flybisect.source.scopes import Key, Statement, Statements, qualified


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """`x = [f(i) for i in range(4)]` for `x = []` with a loop of `x.append(f(i))`, or for `x = [None] * 4`
    with a loop of `x[i] = f(i)`; `x = [a, b]` for `x = [a]` with `x.append(b)` behind it."""
    found: list[Hint] = []
    for entry in table.all:
        node = entry.node
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or entry.scope.kind == "class":
            continue
        target = node.targets[0]
        if not isinstance(target, ast.Name):
            continue
        key = table.owner(target.id, entry.scope)
        first = _first_user(table, entry, key)
        text = None if first is None else _joined(table, entry, key, first)
        if first is not None and text is not None:
            cut = Cut(edits=_in_place_of(table, entry, first, f"{target.id} = {text}"))
            found.append(
                Hint(f"build {qualified(table, entry)}: {target.id} {type(first.node).__name__}", cut)
            )
    return found


def _first_user(table: Statements, entry: Statement, key: Key) -> Statement | None:
    """The first statement of the same block that reads the list, or that holds one which does."""
    if table.binders.get(key) != [entry]:
        return None
    if any(user.start < entry.end for user, _ in table.users.get(key, ())):
        return None  # Read before it is bound, by a function or in the next round of a loop.
    users = {user.number for user, _ in table.users.get(key, ())}
    for each in table.all[entry.number + 1 :]:
        if each.parent == entry.parent and each.block == entry.block:
            if not users.isdisjoint(table.subtree(each.number)):
                return each
    return None


def _in_place_of(table: Statements, entry: Statement, first: Statement, text: str) -> frozenset[Edit]:
    """The list as a whole for its first user, and nothing where it began."""
    behind = next(
        each
        for each in table.all[entry.number + 1 :]
        if (each.parent, each.block) == (entry.parent, entry.block)
    )
    if behind is first:
        return frozenset([Edit(entry.start, first.end, text)])
    return frozenset([Edit(entry.start, behind.start), Edit(first.start, first.end, text)])


def _joined(table: Statements, entry: Statement, key: Key, first: Statement) -> str | None:
    """The value of the list behind its first user; None where that is more than a step of its building."""
    value = entry.node.value  # type: ignore[attr-defined]
    inside = set(table.subtree(first.number))
    if sum(user.number in inside for user, _ in table.users[key]) != 1:
        return None
    if _moved(table, entry, first, value):
        return None
    if isinstance(first.node, ast.For):
        return _comprehension(table, key, first, value)
    added = _appended(first.node, key[1])
    if added is not None and isinstance(value, ast.List):
        return (
            f"[{', '.join([*(table.source.segment(each) for each in value.elts), _element(table, added)])}]"
        )
    stored = _stored(first.node, key[1], 1)
    given = elements_of(table, value)
    if stored is not None and given is not None and not isinstance(value, ast.Dict):
        index = integer(stored[0][0])
        if index is not None and index in given:
            return _display(list({**given, index: _element(table, stored[1])}.values()))
    return None


def _display(elements: Sequence[str]) -> str:
    return f"[{', '.join(elements)}]"


def _moved(table: Statements, entry: Statement, first: Statement, value: ast.expr) -> bool:
    """True where the first elements would be computed behind something that may change them."""
    between = [each for each in table.all if entry.end <= each.start < first.start]
    if not between:
        return False
    if any(isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)) for node in ast.walk(value)):
        return not _filled(value)
    bound = {table.owner(name, scope) for each in between for name, scope in each.binds}
    return any(table.resolve(use.name, use.scope) in bound for use in entry.uses)


def _filled(value: ast.expr) -> bool:
    """`[[None] * 2 for _ in range(4)]`: the same wherever it is computed."""
    return isinstance(value, ast.ListComp) and _shape(value) is not None


def _comprehension(table: Statements, key: Key, loop: Statement, value: ast.expr) -> str | None:
    loops = _nest(table, loop)
    last = None if loops is None else loops[-1].body[0]
    if loops is None or last is None or read_behind(table, loop):
        return None
    heads = [
        f"for {table.source.segment(each.target)} in {table.source.segment(each.iter)}" for each in loops
    ]
    if any(isinstance(part, (ast.Yield, ast.Await, ast.NamedExpr)) for part in ast.walk(loop.node)):
        return None
    added = _appended(last, key[1])
    if added is not None and isinstance(value, ast.List) and not value.elts:
        return f"[{_element(table, added)} {' '.join(heads)}]"
    stored = _stored(last, key[1], len(loops))
    if stored is None or _shape(value) != [_count(each) for each in loops]:
        return None
    if [ast.unparse(each) for each in stored[0]] != [ast.unparse(each.target) for each in loops]:
        return None
    text = _element(table, stored[1])
    for head in reversed(heads):
        text = f"[{text} {head}]"
    return text


def _nest(table: Statements, entry: Statement) -> list[ast.For] | None:
    """Loops of which each holds nothing but the next, and the last one statement."""
    node, found = entry.node, []
    while isinstance(node, ast.For):
        if (
            node.orelse
            or len(node.body) != 1
            or any(keyword.arg == "init" for keyword in getattr(node.iter, "keywords", []))
        ):
            return None
        found.append(node)
        node = node.body[0]
    return found if not table.by_node[node].parts else None


def _count(loop: ast.For) -> int | None:
    """Rounds of `for i in range(4)`."""
    found = rounds(loop.iter)
    return len(found) if found is not None and found == range(len(found)) else None


def _shape(value: ast.expr) -> list[int] | None:
    """[2, 4] of `[[None] * 4 for _ in range(2)]` and `[None, None]` as [2]: what is there to be replaced."""
    if isinstance(value, ast.ListComp) and len(value.generators) == 1 and not value.generators[0].ifs:
        outer, inner = rounds(value.generators[0].iter), _shape(value.elt)
        return None if outer is None or inner is None else [len(outer), *inner]
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult) and integer(value.right) is not None:
        inner = _shape(value.left)
        return None if inner is None or len(inner) != 1 else [inner[0] * int(integer(value.right) or 0)]
    if isinstance(value, ast.List) and all(isinstance(each, (ast.Constant, ast.Name)) for each in value.elts):
        return [len(value.elts)]
    return None


def _appended(node: ast.stmt, name: str) -> ast.expr | None:
    """What `x.append(…)` adds."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or call.keywords or len(call.args) != 1:
        return None
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr != "append":
        return None
    own = isinstance(function.value, ast.Name) and function.value.id == name
    return call.args[0] if own and not isinstance(call.args[0], ast.Starred) else None


def _stored(node: ast.stmt, name: str, depth: int) -> tuple[list[ast.expr], ast.expr] | None:
    """The indices and the value of `x[i][j] = …`."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    target, indices = node.targets[0], list[ast.expr]()
    while isinstance(target, ast.Subscript):
        indices.insert(0, target.slice)
        target = target.value
    if not isinstance(target, ast.Name) or target.id != name or len(indices) != depth:
        return None
    return indices, node.value


def _element(table: Statements, node: ast.expr) -> str:
    text = table.source.segment(node)
    if isinstance(node, (ast.Tuple, ast.GeneratorExp)):
        return bracketed(text)
    return text if stands_alone(text) else bracketed(text)


PASS = Pass("built", "lists that are built element by element, as one display or comprehension", hints)
