"""The script's own small classes: methods written out where they are called, attributes as variables."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import MOVED, PERHAPS, DynamicFacts, Hint, Pass
from flybisect.reduce.passes import functions, names
from flybisect.source.cut import Cut, carry_out
from flybisect.source.edit import Conflict, Edit
from flybisect.source.expressions import modules, root_name
from flybisect.source.layout import reindented
from flybisect.source.records import without_record
from flybisect.source.scopes import Statement, Statements
from flybisect.source.source import Source

Method = ast.FunctionDef


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For each class the text without it, or without those of its methods that can be written out."""
    whole = table.source.text
    found: list[Hint] = []
    for entry in table.all:
        if isinstance(entry.node, ast.ClassDef) and entry.parent is None:
            text = _dissolved(whole, entry.node.name)
            if text != whole:
                edit = Edit(0, len(whole), text)
                found.append(Hint(f"class {entry.node.name}", Cut(edits=frozenset([edit]))))
    return found


def _dissolved(text: str, name: str) -> str:
    """The text with as many methods of the class written out as can be, and its one object as variables."""
    tried: set[str] = set()
    table = Statements(Source(text))
    while True:
        entry = _class(table, name)
        method = None if entry is None else next((m for m in _methods(entry) if m.name not in tried), None)
        if entry is None or method is None:
            break
        tried.add(method.name)
        new = _without_method(table, entry, method)
        if new is not None:
            text, table = new, Statements(Source(new))
    return without_record(text, name, _written_out) or text


def _class(table: Statements, name: str) -> Statement | None:
    return next((e for e in table.all if isinstance(e.node, ast.ClassDef) and e.node.name == name), None)


def _methods(entry: Statement) -> list[Method]:
    assert isinstance(entry.node, ast.ClassDef)
    return [
        node
        for node in entry.node.body
        if isinstance(node, Method)
        and not node.name.startswith("__")
        and node.args.args
        and (not node.decorator_list or _is_property(node))
        and not any(isinstance(n, ast.Name) and n.id in ("super", "__class__") for n in ast.walk(node))
    ]


def _is_property(node: Method) -> bool:
    return [ast.unparse(decorator) for decorator in node.decorator_list] == ["property"]


def _without_method(table: Statements, entry: Statement, method: Method) -> str | None:
    """The method as a function before its class, and that written out; None where it can't be."""
    reads = _reads(table, method)
    if not reads or method.name in {name for scope in table.scopes[:1] for name in scope.bound}:
        return None
    source = table.source
    edits: list[Edit] = []
    for attribute, call in reads:
        end = source.span(attribute.value)[1]
        until = source.span(attribute if call is None else call.func)[1] + (call is not None)
        between = source.text[end:until]
        if "".join(between.split()) != f".{method.name}" + ("(" if call is not None else ""):
            return None
        start = source.span(attribute.value)[0]
        more = "" if call is None else ", " if call.args or call.keywords else ""
        edits += [Edit(start, start, f"{method.name}("), Edit(end, until, more if call is not None else ")")]
    start = source.offset(method.lineno, method.col_offset)
    function = reindented(source, start, source.span(method)[1], "")
    edits.append(Edit(entry.start, entry.start, f"{function}\n\n\n"))
    try:
        cut = Cut(statements=frozenset([table.by_node[method].number]), edits=frozenset(edits))
        text = carry_out(table, cut)
        return _written_out(text, method.name)
    except (Conflict, SyntaxError):
        return None


def _reads(table: Statements, method: Method) -> list[tuple[ast.Attribute, ast.Call | None]]:
    """Every `x.method` of the script with the call that it is in; empty where one is something else."""
    imported = modules(table)
    calls = {node.func: node for node in ast.walk(table.source.tree) if isinstance(node, ast.Call)}
    inside = set(ast.walk(method))
    found: list[tuple[ast.Attribute, ast.Call | None]] = []
    for node in ast.walk(table.source.tree):
        if not isinstance(node, ast.Attribute) or node.attr != method.name:
            continue
        call = calls.get(node)
        if node in inside or root_name(node) in imported or (call is None) != _is_property(method):
            return []
        found.append((node, call))
    return found


def _written_out(text: str, name: str) -> str | None:
    """The text with a function written out where it is called, what was passed for `self` by its name."""
    table = Statements(Source(text))
    entry = next(e for e in table.all if isinstance(e.node, ast.FunctionDef) and e.node.name == name)
    hint = functions.written_out(table, entry)
    return None if hint is None else _without_aliases(carry_out(table, hint.cut))


def _without_aliases(text: str) -> str:
    """`self = layout` goes, `layout` is read in its place."""
    while True:
        table = Statements(Source(text))
        hints = (names.alias(table, entry) for entry in table.all if _names_self(entry.node))
        hint = next((hint for hint in hints if hint is not None), None)
        if hint is None:
            return text
        text = carry_out(table, hint.cut)


def _names_self(node: ast.stmt) -> bool:
    """True for `self = …`, and for `self_2 = …` where there was a `self` before."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return isinstance(target, ast.Name) and target.id.startswith("self")


PASS = Pass(
    "classes",
    "the script's own small classes, by functions and variables",
    hints,
    chance=PERHAPS,
    worth=MOVED,
)
