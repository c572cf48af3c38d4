"""Parameters of the script's own functions, together with the arguments at every call."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import RARELY, DynamicFacts, Hint, Pass
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.elements import Element
from flybisect.source.scopes import Statement, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Each parameter that is read, with all that reads it."""
    return [hint for hint, read in _every(table) if read]


def unread(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Those that nothing reads, `**options` too: they mostly go together."""
    return [hint for hint, read in _every(table) if not read] + _unread_options(table)


def _unread_options(table: Statements) -> list[Hint]:
    """`**options` that nothing reads and that no call gives anything."""
    found: list[Hint] = []
    for entry in table.all:
        node = entry.node
        if not isinstance(node, ast.FunctionDef) or node.args.kwarg is None:
            continue
        scope, name = table.function_scope[node], node.args.kwarg.arg
        known = {each.arg for each in [*node.args.args, *node.args.kwonlyargs]}
        calls = calls_of(table, entry)
        if calls is None or (scope.number, name) in table.users:
            continue
        if all(keyword.arg in known for call in calls for keyword in call.keywords):
            edit = _without_options(table, node.args.kwarg)
            found.append(Hint(f"parameter {node.name}(**{name})", Cut(edits=frozenset([edit]))))
    return found


def _without_options(table: Statements, options: ast.arg) -> Edit:
    """The stars and the name, with the comma before them, or the one behind where none is."""
    tokens = table.source.tokens
    start, end = table.source.span(options)
    stars, behind = table.source.token_at(start) - 1, table.source.token_at(end)
    if tokens[stars - 1].text == ",":
        return Edit(tokens[stars - 1].start, end)
    return Edit(tokens[stars].start, tokens[behind].end if tokens[behind].text == "," else end)


def _every(table: Statements) -> list[tuple[Hint, bool]]:
    """A hint for each parameter, and whether anything reads it."""
    found: list[tuple[Hint, bool]] = []
    for entry in table.all:
        node = entry.node
        if not isinstance(node, ast.FunctionDef):
            continue
        calls = calls_of(table, entry)
        if calls is None:
            continue
        for at, parameter in enumerate([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]):
            elements = _elements(node, calls, parameter, at)
            if elements is None:
                continue
            scope = table.function_scope[node]
            key = (scope.number, parameter.arg)
            reads = len(table.users.get(key, ()))
            label = f"parameter {node.name}({parameter.arg}) {reads}"
            found.append((Hint(label, Cut(elements=elements, lost=frozenset([key]))), reads > 0))
    return found


def calls_of(table: Statements, entry: Statement) -> list[ast.Call] | None:
    """Every call of the function; None where its name is used in another way too."""
    name = entry.node.name  # type: ignore[attr-defined]
    users = table.users.get(table.owner(name, entry.scope), [])
    calls: list[ast.Call] = []
    for user, use in users:
        found = [node for node in ast.walk(user.node) if isinstance(node, ast.Call) and node.func is use.node]
        if not found:
            return None
        calls += found
    return calls


def _elements(
    function: ast.FunctionDef, calls: list[ast.Call], parameter: ast.arg, at: int
) -> frozenset[Element] | None:
    """The parameter and its argument in each call; None where a call hides which one it is."""
    elements = {Element(function, parameter)}
    keyword_only = parameter in function.args.kwonlyargs
    for call in calls:
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            return None
        if any(keyword.arg is None for keyword in call.keywords):
            return None
        if not keyword_only and at < len(call.args):
            elements.add(Element(call, call.args[at]))
        elements |= {Element(call, k) for k in call.keywords if k.arg == parameter.arg}
    return frozenset(elements)


SUMMARY = "parameters with the arguments at every call"
UNREAD = Pass("parameters", SUMMARY, unread)
PASS = Pass("parameters", SUMMARY, hints, chance=RARELY)
