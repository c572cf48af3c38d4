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
    with a loop of `x[i] = f(i)`; `x = [a, b]` for `x = [a]` with `x.append(b)` behind it. Then the same for
    loops that fill a list anew."""
    found: list[Hint] = []
    built: set[int] = set()
    for entry in table.all:
        node = entry.node
        refilled = _refilled(table, entry) if entry.number not in built else None
        if refilled is not None:
            found.append(refilled)
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or entry.scope.kind == "class":
            continue
        target = node.targets[0]
        if not isinstance(target, ast.Name):
            continue
        key = table.owner(target.id, entry.scope)
        first = _first_user(table, entry, key)
        text = None if first is None else _joined(table, entry, key, first)
        if first is not None and text is not None:
            built.add(first.number)
            cut = Cut(edits=_in_place_of(table, entry, first, f"{target.id} = {text}"))
            found.append(
                Hint(f"build {qualified(table, entry)}: {target.id} {type(first.node).__name__}", cut)
            )
    return found


def _first_user(table: Statements, entry: Statement, key: Key) -> Statement | None:
    """The first statement of the same block that reads the list, or that holds one which does."""
    if any(user.scope is not entry.scope and user.start < entry.end for user, _ in table.users.get(key, ())):
        return None  # A function that may be called in between.
    users = {user.number for user, _ in table.users.get(key, ())}
    binders = {binder.number for binder in table.binders.get(key, ())}
    for each in table.all[entry.number + 1 :]:
        if each.parent == entry.parent and each.block == entry.block:
            inside = set(table.subtree(each.number))
            if not binders.isdisjoint(inside):
                return None
            if not users.isdisjoint(inside):
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
        elements = [table.source.segment(each) for each in value.elts]
        return _display([*elements, _element(table, added)])
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
    if loops is None or read_behind(table, loop):
        return None
    added = _appended(loops[-1].body[0], key[1])
    if added is not None and isinstance(value, ast.List) and not value.elts:
        return f"[{_element(table, added)} {' '.join(_head(table, each) for each in loops)}]"
    filled = _filling(table, key[1], loops)
    if filled is None or _shape(value) != [_count(each) for each in filled[0]]:
        return None
    return filled[1]


def _filling(table: Statements, name: str, loops: Sequence[ast.For]) -> tuple[list[ast.For], str] | None:
    """The comprehension for loops that store at each of their indices, and the loops from its outermost one
    on. Their order may be another where nothing is called."""
    stored = _stored(loops[-1].body[0], name, len(loops))
    if stored is None or any(_count(each) is None for each in loops):
        return None
    counters = [ast.unparse(each.target) for each in loops]
    indices = [ast.unparse(each) for each in stored[0]]
    if sorted(indices) != sorted(counters) or len(set(counters)) != len(counters):
        return None
    if indices != counters and any(isinstance(part, ast.Call) for part in ast.walk(stored[1])):
        return None
    ordered = [loops[counters.index(index)] for index in indices]
    text = _element(table, stored[1])
    for each in reversed(ordered):
        text = f"[{text} {_head(table, each)}]"
    return ordered, text


def _head(table: Statements, loop: ast.For) -> str:
    return f"for {table.source.segment(loop.target)} in {table.source.segment(loop.iter)}"


def _refilled(table: Statements, entry: Statement) -> Hint | None:
    """Loops that store at every index of a list that is there already, as its new value."""
    loops = _nest(table, entry)
    target: ast.AST | None = loops[-1].body[0] if loops else None
    if not loops or not isinstance(target, ast.Assign) or entry.scope.kind == "class":
        return None
    target = target.targets[0]
    while isinstance(target, ast.Subscript):
        target = target.value
    if not isinstance(target, ast.Name) or read_behind(table, entry):
        return None
    filled = _filling(table, target.id, loops)
    reads = [use for n in table.subtree(entry.number) for use in table.all[n].uses if use.name == target.id]
    if filled is None or len(reads) != 1 or target.id not in entry.scope.bound:
        return None
    edit = Edit(entry.start, entry.end, f"{target.id} = {filled[1]}")
    return Hint(f"refill {qualified(table, entry)}: {target.id}", Cut(edits=frozenset([edit])), rank=1)


def _nest(table: Statements, entry: Statement) -> list[ast.For] | None:
    """Loops of which each holds nothing but the next, and the last one statement."""
    node, found = entry.node, list[ast.For]()
    while isinstance(node, ast.For):
        if node.orelse or len(node.body) != 1 or getattr(node.iter, "keywords", []):
            return None  # `init=`: values that the loop carries.
        found.append(node)
        node = node.body[0]
    unfit = (ast.Yield, ast.Await, ast.NamedExpr)
    if table.by_node[node].parts or any(isinstance(part, unfit) for part in ast.walk(entry.node)):
        return None
    return found


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
    if isinstance(value, ast.List) and value.elts:
        shapes = [_shape(each) for each in value.elts]
        return (
            None if shapes[0] is None or shapes.count(shapes[0]) < len(shapes) else [len(shapes), *shapes[0]]
        )
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
