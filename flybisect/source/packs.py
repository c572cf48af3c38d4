"""Sequences of a fixed length that go through a script whole: where they are made, handed on and taken apart.

`state = unpack(flat)`, `state = body(j, *state)` and `return a, b, c` in both functions speak of one pack: an
element that leaves it has to leave it in all of these places.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass, field

from flybisect.source.cut import own_nodes
from flybisect.source.rounds import integer
from flybisect.source.scopes import Key, Statement, Statements

Display = ast.Tuple | ast.List
Place = tuple[str, object]
"""A variable, what a function returns, a display, or what a loop carries."""
Function = ast.FunctionDef


@dataclass
class Pack:
    """What is known of one."""

    displays: list[tuple[Statement, Display]] = field(default_factory=list)
    """Its elements, where it is made and where it is taken apart."""
    spreads: list[tuple[Statement, Function, int]] = field(default_factory=list)
    """Functions that get it as `*x`, and the position of their parameter that its first element is."""
    items: list[tuple[Statement, ast.Subscript, int]] = field(default_factory=list)
    """Reads of a single element, and stores into one."""
    names: list[str] = field(default_factory=list)
    """Variables and functions that it goes through."""
    copied: bool = False
    """`list(x)` and `[*x]`."""
    carried: bool = False
    """By a loop of the DSL, with `init=`."""
    open: bool = False
    """Used in a way that is not followed."""

    @property
    def length(self) -> int | None:
        """None where it is not followed, or not the same everywhere."""
        lengths = {len(display.elts) for _, display in self.displays}
        if self.open or len(lengths) != 1:
            return None
        length = lengths.pop()
        return length if all(0 <= index < length for _, _, index in self.items) else None


def packs(table: Statements) -> list[Pack]:
    """Those of a script that hold anything, in the order of the text."""
    return _Flow(table).found()


class _Flow:
    """Joins the places that one pack goes through (union-find)."""

    def __init__(self, table: Statements) -> None:
        self._table = table
        self._above: dict[Place, Place] = {}
        self._packs: dict[Place, Pack] = defaultdict(Pack)
        self._followed: set[int] = set()
        """Nodes of names and calls whose values were followed."""
        self._bound: dict[Key, set[int]] = defaultdict(set)
        """Variable → statements whose bindings of it were followed."""
        self._functions = _own_functions(table)
        for entry in table.all:
            self._statement(entry)
        for function, calls in self._functions.items():
            self._parameters(function, calls)
        self._close()

    def found(self) -> list[Pack]:
        roots = dict.fromkeys(self._root(place) for place in self._above)
        found = [self._packs[root] for root in roots]
        return [pack for pack in found if pack.displays and not pack.open]

    # -- places --------------------------------------------------------------------------------

    def _root(self, place: Place) -> Place:
        self._above.setdefault(place, place)
        while self._above[place] != place:
            place = self._above[place]
        return place

    def _join(self, first: Place | None, second: Place) -> None:
        """`first`: None for a value that is not followed."""
        root = self._root(second)
        if first is None:
            self._packs[root].open = True
            return
        other = self._root(first)
        if other == root:
            return
        self._above[other] = root
        lost, kept = self._packs.pop(other, Pack()), self._packs[root]
        kept.displays += lost.displays
        kept.spreads += lost.spreads
        kept.items += lost.items
        kept.names += lost.names
        kept.copied |= lost.copied
        kept.carried |= lost.carried
        kept.open |= lost.open

    def _variable(self, key: Key) -> Place:
        place: Place = ("variable", key)
        if place not in self._above:
            self._packs[self._root(place)].names.append(key[1])
        return place

    def _result(self, function: Function) -> Place:
        place: Place = ("result", function)
        if place not in self._above:
            self._packs[self._root(place)].names.append(function.name)
        return place

    def _display(self, entry: Statement, node: Display) -> Place:
        place: Place = ("display", node)
        self._packs[self._root(place)].displays.append((entry, node))
        return place

    # -- values --------------------------------------------------------------------------------

    def _value(self, entry: Statement, node: ast.expr | None) -> Place | None:
        """The place that an expression's value is; None where it is not followed."""
        if isinstance(node, ast.Name):
            key = self._table.resolve(node.id, entry.scope)
            if key is None:
                return None
            self._followed.add(id(node))
            return self._variable(key)
        if isinstance(node, Display):
            stars = [each for each in node.elts if isinstance(each, ast.Starred)]
            if not stars:
                return self._display(entry, node) if node.elts else None
            return self._copy(entry, stars[0].value) if len(node.elts) == 1 else None
        if isinstance(node, ast.Yield):
            return self._yielded(entry, node)
        if not isinstance(node, ast.Call):
            return None
        if isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple") and not node.keywords:
            return self._copy(entry, node.args[0]) if len(node.args) == 1 else None
        function = self._called(entry, node)
        if function is None:
            return None
        self._followed.add(id(node))
        return self._result(function)

    def _copy(self, entry: Statement, node: ast.expr) -> Place | None:
        place = self._value(entry, node)
        if place is not None:
            self._packs[self._root(place)].copied = True
        return place

    def _yielded(self, entry: Statement, node: ast.Yield) -> Place | None:
        """What the loop around it carries."""
        for number in self._table.ancestors(entry.number):
            loop = self._table.all[number]
            if loop.scope is not entry.scope:
                return None
            if isinstance(loop.node, ast.For) and _init(loop.node) is not None:
                place: Place = ("loop", loop.node)
                self._join(self._value(entry, node.value), place)
                return place
        return None

    def _called(self, entry: Statement, call: ast.Call) -> Function | None:
        for function, calls in self._functions.items():
            if any(each is call for each in calls):
                return function
        return None

    # -- statements ----------------------------------------------------------------------------

    def _statement(self, entry: Statement) -> None:
        node = entry.node
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._bind(entry, node.targets[0], self._value(entry, node.value))
        elif isinstance(node, ast.Expr) and isinstance(node.value, (ast.Yield, ast.Call)):
            if isinstance(node.value, ast.Yield) or self._called(entry, node.value) is not None:
                self._value(entry, node.value)
        elif isinstance(node, ast.For):
            self._loop(entry, node)
        elif isinstance(node, ast.Return):
            self._return(entry, node)

    def _bind(self, entry: Statement, target: ast.expr, value: Place | None) -> None:
        if isinstance(target, ast.Name):
            key = self._table.owner(target.id, entry.scope)
            self._bound[key].add(entry.number)
            self._join(value, self._variable(key))
        elif value is not None:
            plain = isinstance(target, Display) and not any(isinstance(e, ast.Starred) for e in target.elts)
            taken = self._display(entry, target) if isinstance(target, Display) and plain else None
            self._join(taken, value)

    def _loop(self, entry: Statement, node: ast.For) -> None:
        init = _init(node)
        if init is None or not isinstance(node.target, ast.Tuple) or len(node.target.elts) != 2:
            return
        place: Place = ("loop", node)
        self._packs[self._root(place)].carried = True
        self._join(self._value(entry, init), place)
        self._bind(entry, node.target.elts[1], place)

    def _return(self, entry: Statement, node: ast.Return) -> None:
        for number in self._table.ancestors(entry.number):
            function = self._table.all[number].node
            if isinstance(function, ast.FunctionDef):
                if function in self._functions:
                    self._join(self._value(entry, node.value), self._result(function))
                return

    def _parameters(self, function: Function, calls: list[ast.Call]) -> None:
        """What its calls give it, and packs that are spread over it."""
        arguments = function.args
        names = [each.arg for each in [*arguments.posonlyargs, *arguments.args]]
        scope = self._table.function_scope[function]
        plain = not (arguments.vararg or arguments.kwarg or arguments.defaults or arguments.kwonlyargs)
        given: dict[str, list[Place | None]] = defaultdict(list)
        for call in calls:
            entry = self._entry(call)
            if not plain or entry is None or not self._arguments(entry, function, call, names, given):
                given = defaultdict(list)
                break
        for name in names:
            places, key = given[name], (scope.number, name)
            if len(places) == len(calls) and None not in places:
                self._bound[key].add(self._table.by_node[function].number)
                for place in places:
                    self._join(place, self._variable(key))

    def _arguments(
        self,
        entry: Statement,
        function: Function,
        call: ast.Call,
        names: list[str],
        given: dict[str, list[Place | None]],
    ) -> bool:
        for at, argument in enumerate(call.args):
            if isinstance(argument, ast.Starred):
                place = self._value(entry, argument.value)
                if place is None or at != len(call.args) - 1:
                    return False
                self._packs[self._root(place)].spreads.append((entry, function, at))
            elif at < len(names):
                given[names[at]].append(self._value(entry, argument))
        for keyword in call.keywords:
            if keyword.arg in names:
                given[keyword.arg].append(self._value(entry, keyword.value))
        return all(keyword.arg is not None for keyword in call.keywords)

    def _entry(self, call: ast.Call) -> Statement | None:
        return self._around.get(id(call))

    @property
    def _around(self) -> dict[int, Statement]:
        if not hasattr(self, "_statements"):
            self._statements = {
                id(node): entry
                for entry in self._table.all
                for node in own_nodes(entry.node)
                if isinstance(node, ast.Call)
            }
        return self._statements

    # -- what is not followed --------------------------------------------------------------------

    def _close(self) -> None:
        """Notes the reads of single elements; opens what is bound or read in another way."""
        for place in list(self._above):
            if place[0] == "variable":
                key: Key = place[1]  # type: ignore[assignment]
                binders = {each.number for each in self._table.binders.get(key, ())}
                self._packs[self._root(place)].open |= binders != self._bound.get(key, set())
                for user, use in self._table.users.get(key, ()):
                    if id(use.node) not in self._followed:
                        self._item(place, user, use.node)
        for function, calls in self._functions.items():
            for call in calls:
                if id(call) not in self._followed and ("result", function) in self._above:
                    self._item(("result", function), self._around[id(call)], call)

    def _item(self, place: Place, user: Statement, node: ast.AST) -> None:
        pack = self._packs[self._root(place)]
        around = [
            each for each in own_nodes(user.node) if isinstance(each, ast.Subscript) and each.value is node
        ]
        index = integer(around[0].slice) if around and not isinstance(around[0].ctx, ast.Del) else None
        if index is None:
            pack.open = True
        else:
            pack.items.append((user, around[0], index))


def _own_functions(table: Statements) -> dict[Function, list[ast.Call]]:
    """The script's undecorated functions that are only ever called, with all their calls."""
    found: dict[Function, list[ast.Call]] = {}
    calls = {id(n.func): n for e in table.all for n in own_nodes(e.node) if isinstance(n, ast.Call)}
    for entry in table.all:
        node = entry.node
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or entry.scope.kind == "class":
            continue
        key = table.owner(node.name, entry.scope)
        uses = [use for _, use in table.users.get(key, ())]
        if uses and table.binders.get(key) == [entry] and all(id(use.node) in calls for use in uses):
            found[node] = [calls[id(use.node)] for use in uses]
    return found


def _init(node: ast.For) -> ast.expr | None:
    keywords = node.iter.keywords if isinstance(node.iter, ast.Call) else []
    return next((keyword.value for keyword in keywords if keyword.arg == "init"), None)
