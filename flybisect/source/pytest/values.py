"""Parameters of pytest tests, read from the text: what each is called, and the text of its values.

Nothing of the file is run. Constants, names that stand for them, comprehensions and the plainest
functions are worked out; everything else is kept as the text that it is.
"""

from __future__ import annotations

import ast
import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from flybisect.source.pytest.skips import guard

ANY = "*"
"""In place of an id that only running the file could tell."""
SAFE: Mapping[str, object] = {
    function.__name__: function
    for function in (
        range, list, tuple, set, dict, len, zip, enumerate, sorted, reversed, min, max, sum, abs, str, int,
        float, bool, repr, getattr,
        itertools.product, itertools.chain, itertools.combinations, itertools.permutations,
    )
}  # fmt: skip
FAILURES = (
    TypeError, ValueError, KeyError, IndexError, AttributeError, NameError, ArithmeticError, SyntaxError,
    RecursionError, MemoryError,
)  # fmt: skip


class Unreadable(ValueError):
    """A value that cannot be read from the text alone."""


@dataclass(frozen=True)
class ValueText:
    """A value that is known by its text alone."""

    text: str

    @property
    def __name__(self) -> str:
        """What a class or a function would be called."""
        last = self.text.rpartition(".")[2]
        if not last.isidentifier():
            raise AttributeError("__name__")
        return last


@dataclass(frozen=True)
class Given:
    """`pytest.param(…)`."""

    values: tuple[object, ...]
    id: object = None
    guard: tuple[str, ...] = ()


@dataclass(frozen=True)
class Choice:
    """One set of arguments: name → text of the value, and the ids that it may have."""

    values: tuple[tuple[str, str], ...]
    ids: frozenset[str]
    guard: tuple[str, ...] = ()
    """Lines that end the script where the set's own marks rule the test out."""


class Values:
    """Works out expressions of one file."""

    def __init__(self, tree: ast.Module, pytest_names: Mapping[str, str]) -> None:
        self._pytest = pytest_names
        self._assigned: dict[str, ast.expr] = {}
        stored = Counter(
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
        for statement in tree.body:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target = statement.targets[0]
                if isinstance(target, ast.Name) and stored[target.id] == 1:
                    self._assigned[target.id] = statement.value
        self._known: dict[str, object] = {}

    def of(self, node: ast.expr, functions: bool = False) -> object:
        """The value, with `ValueText` in place of what is not known. Raises Unreadable.

        `functions`: a lambda is one to call, not a value.
        """
        places: dict[str, object] = {}
        bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        bound |= {a.arg for n in ast.walk(node) if isinstance(n, ast.Lambda) for a in n.args.args}
        body = _Known(self, places, bound, functions).visit(_copy(node))
        try:
            code = compile(ast.fix_missing_locations(ast.Expression(body)), "<parameters>", "eval")
            return eval(code, {"__builtins__": {}, **SAFE, **places})
        except FAILURES as error:
            raise Unreadable(ast.unparse(node)) from error

    def name(self, name: str) -> object:
        """What a name of the module stands for."""
        if name not in self._known:
            self._known[name] = ValueText(name)
            if name in self._assigned:
                try:
                    self._known[name] = self.of(self._assigned[name])
                except Unreadable:
                    pass
        return self._known[name]

    def dotted(self, node: ast.expr) -> str | None:
        """`pytest.mark.skip` for what the file calls by any name; None for what is not pytest's."""
        if isinstance(node, ast.Name):
            return self._pytest.get(node.id)
        if isinstance(node, ast.Attribute):
            inner = self.dotted(node.value)
            return None if inner is None else f"{inner}.{node.attr}"
        return None

    def marks(self, node: ast.expr) -> ast.expr:
        """A decorator, or what the name that it is stands for."""
        if isinstance(node, ast.Name) and node.id in self._assigned:
            return self._assigned[node.id]
        return node


def _copy(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


class _Known(ast.NodeTransformer):
    """Puts what is known, and `ValueText` for what is not, in place of names, attributes and calls."""

    def __init__(self, values: Values, places: dict[str, object], bound: set[str], functions: bool) -> None:
        self._functions = functions
        self._values = values
        self._places = places
        self._bound = bound

    def _place(self, value: object) -> ast.expr:
        name = f"place_{len(self._places)}"
        self._places[name] = value
        return ast.Name(name, ast.Load())

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._bound or isinstance(node.ctx, ast.Store):
            return node
        value = self._values.name(node.id)
        if value == ValueText(node.id) and node.id in SAFE:
            return node
        return self._place(value)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if self._reads_bound(node):
            return self.generic_visit(node)
        return self._place(ValueText(ast.unparse(node)))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        root: ast.expr = node
        while isinstance(root, (ast.Subscript, ast.Attribute)):
            root = root.value
        known = isinstance(root, ast.Name) and not isinstance(self._values.name(root.id), ValueText)
        if known or self._reads_bound(node):
            return self.generic_visit(node)
        return self._place(ValueText(ast.unparse(node)))

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self.generic_visit(node) if self._functions else self._place(ValueText(ast.unparse(node)))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self._values.dotted(node.func) == "pytest.param":
            return self._given(node)
        function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        root = ast.unparse(node.func).split(".")[0]
        if function in SAFE and root in ("itertools", function):
            arguments = [self.visit(argument) for argument in node.args]
            keywords = [ast.keyword(each.arg, self.visit(each.value)) for each in node.keywords]
            return ast.Call(ast.Name(function, ast.Load()), arguments, keywords)
        if self._reads_bound(node):
            return self.generic_visit(node)
        return self._place(ValueText(ast.unparse(node)))

    def _given(self, node: ast.Call) -> ast.AST:
        of = [ast.keyword(each.arg, self.visit(each.value)) for each in node.keywords if each.arg == "id"]
        marks = next((each.value for each in node.keywords if each.arg == "marks"), None)
        listed = marks.elts if isinstance(marks, (ast.List, ast.Tuple)) else [] if marks is None else [marks]
        lines = [
            line
            for mark in (self._values.marks(each) for each in listed)
            if not self._reads_bound(mark)
            for line in guard(self._values.dotted, mark)
        ]
        of.append(ast.keyword("guard", self._place(tuple(lines))))
        held = ast.Tuple([self.visit(argument) for argument in node.args], ast.Load())
        return ast.Call(self._place(Given), [held], of)

    def _reads_bound(self, node: ast.AST) -> bool:
        return any(isinstance(each, ast.Name) and each.id in self._bound for each in ast.walk(node))


def choices(values: Values, mark: ast.Call) -> list[Choice]:
    """What `parametrize(names, values, ids=…)` stands for. Raises Unreadable."""
    given = dict(zip(("argnames", "argvalues"), mark.args, strict=False))
    given.update({each.arg: each.value for each in mark.keywords if each.arg is not None})
    listed = values.of(given["argnames"])
    names = (
        [n.strip() for n in listed.split(",")] if isinstance(listed, str) else [str(n) for n in _list(listed)]
    )
    ids = _ids_given(values, given.get("ids"))
    return named_choices([n for n in names if n], _list(values.of(given["argvalues"])), ids)


def _ids_given(values: Values, node: ast.expr | None) -> object:
    """`ValueText` where only running the file could tell."""
    if node is None or _constant(node, None):
        return None
    try:
        return values.of(node, functions=True)
    except Unreadable:
        return ValueText(ast.unparse(node))


def named_choices(names: Sequence[str], elements: Sequence[object], ids: object) -> list[Choice]:
    """Names and value sets, as pytest would call them."""
    found = []
    for at, element in enumerate(elements):
        own = element.id if isinstance(element, Given) else None
        held = list(element.values) if isinstance(element, Given) else _held(element, len(names))
        if len(held) != len(names):
            raise Unreadable(f"{len(held)} values for {len(names)} names")
        texts = tuple((name, text_of(value)) for name, value in zip(names, held, strict=True))
        lines = element.guard if isinstance(element, Given) else ()
        found.append(Choice(texts, _ids(own, ids, at, names, held), lines))
    return _numbered_apart(found)


def _numbered_apart(found: list[Choice]) -> list[Choice]:
    """Where two have one id, pytest numbers them."""
    counts: dict[str, int] = {}
    for choice in found:
        for name in choice.ids:
            counts[name] = counts.get(name, 0) + 1
    seen: dict[str, int] = {}
    numbered = []
    for choice in found:
        ids = set(choice.ids)
        for name in choice.ids:
            number = seen.get(name, 0)
            seen[name] = number + 1
            if counts[name] > 1 and name != ANY:
                ids |= {f"{name}{number}", f"{name}_{number}"}
        numbered.append(replace(choice, ids=frozenset(ids)))
    return numbered


def _held(element: object, count: int) -> list[object]:
    return [element] if count == 1 else _list(element)


def _list(value: object) -> list[object]:
    if isinstance(value, (ValueText, str)) or not hasattr(value, "__iter__"):
        raise Unreadable(text_of(value) if isinstance(value, ValueText) else repr(value))
    return list(value)


def _constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _ids(own: object, ids: object, at: int, names: Sequence[str], held: Sequence[object]) -> frozenset[str]:
    if own is not None:
        return frozenset([ANY if isinstance(own, ValueText) else str(own)])
    if isinstance(ids, ValueText):
        return frozenset([ANY])
    if ids is not None and not callable(ids):
        listed = _list(ids)
        if at < len(listed) and listed[at] is not None:
            return frozenset([ANY if isinstance(listed[at], ValueText) else str(listed[at])])
    parts = [_value_ids(ids, name, value, at) for name, value in zip(names, held, strict=True)]
    return frozenset("-".join(each) for each in itertools.product(*parts))


def _value_ids(ids: object, name: str, value: object, at: int) -> set[str]:
    if callable(ids):
        try:
            said = ids(value)
        except FAILURES:
            return {ANY}
        if said is not None:
            return {ANY if isinstance(said, ValueText) else str(said)}
    if isinstance(value, str):
        return {value.encode("unicode_escape").decode("ascii")}
    if isinstance(value, (int, float, bool, complex, bytes)) or value is None:
        return {value.decode("ascii", "backslashreplace") if isinstance(value, bytes) else str(value)}
    if isinstance(value, ValueText):
        if value.text.startswith("lambda"):
            return {"<lambda>"}
        parts = value.text.split(".")
        if all(part.isidentifier() for part in parts):
            return {f"{name}{at}", parts[-1], value.text}
    return {f"{name}{at}"}


def text_of(value: object) -> str:
    """Python for a value. Raises Unreadable for what is neither plain data nor a text."""
    if isinstance(value, ValueText):
        return value.text
    if isinstance(value, (str, int, float, bool, complex, bytes)) or value is None:
        return repr(value) if _has_literal(value) else f"float({str(value)!r})"
    if isinstance(value, (list, tuple, set, frozenset)):
        inner = ", ".join(text_of(each) for each in value)
        if isinstance(value, tuple):
            return f"({inner}{',' if len(value) == 1 else ''})"
        return f"[{inner}]" if isinstance(value, list) else f"{{{inner}}}" if value else "set()"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text_of(k)}: {text_of(v)}" for k, v in value.items()) + "}"
    if isinstance(value, range):
        return repr(value)
    raise Unreadable(repr(value))


def _has_literal(value: object) -> bool:
    """False for infinite floats and for no number."""
    return not isinstance(value, float) or math.isfinite(value)
