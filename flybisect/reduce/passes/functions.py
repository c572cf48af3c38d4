"""Functions that are called once: their body goes where the call stands."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.reduce.passes.parameters import calls_of
from flybisect.script.cut import Cut
from flybisect.script.edit import Edit
from flybisect.script.elements import default_of
from flybisect.script.layout import reindented
from flybisect.script.scopes import Statement, Statements


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """Each undecorated function with one call, where that call is a statement or an assigned value."""
    found: list[Hint] = []
    for entry in table.all:
        node = entry.node
        if not isinstance(node, ast.FunctionDef) or node.decorator_list:
            continue
        calls = calls_of(table, entry)
        if calls is None or len(calls) != 1:
            continue
        hint = _inlined(table, entry, node, calls[0])
        if hint is not None:
            found.append(hint)
    return found


def _inlined(table: Statements, entry: Statement, node: ast.FunctionDef, call: ast.Call) -> Hint | None:
    site = next(
        (s for s in table.all if getattr(s.node, "value", None) is call and s.number != entry.number), None
    )
    if site is None or site.number in set(table.subtree(entry.number)):
        return None
    bound = bind(node, call)
    if bound is None or _clashes(table, entry, node, site, bound):
        return None
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    tail = body[-1] if body and isinstance(body[-1], ast.Return) else None
    if any(isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom)) and n is not tail for n in ast.walk(node)):
        return None
    lines = [
        f"{name} = {table.source.segment(value)}"
        for name, value in bound.items()
        if not (isinstance(value, ast.Name) and value.id == name)
    ]
    indent = table.source.indent(site.node)
    straight = body[: len(body) - (tail is not None)]
    if straight:
        start, end = table.source.span(straight[0])[0], table.source.span(straight[-1])[1]
        lines.append(reindented(table.source, start, end, indent))
    last = _result(table, site, tail)
    if last is None:
        return None
    lines += [last] if last else []
    edit = Edit(site.start, site.end, f"\n{indent}".join(lines) or "pass")
    cut = Cut(statements=frozenset([entry.number]), edits=frozenset([edit]))
    return Hint(f"inline {node.name} {len(edit.text)}", cut)


def bind(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr] | None:
    """Parameter → argument (or default); None where the call leaves that open."""
    arguments = function.args
    if arguments.vararg or arguments.kwarg or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    positional = [*arguments.posonlyargs, *arguments.args]
    if len(call.args) > len(positional) or any(keyword.arg is None for keyword in call.keywords):
        return None
    given: dict[str, ast.expr] = {p.arg: a for p, a in zip(positional, call.args, strict=False)}
    given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    bound: dict[str, ast.expr] = {}
    for parameter in [*positional, *arguments.kwonlyargs]:
        value = given.get(parameter.arg) or default_of(arguments, parameter)
        if value is None:
            return None
        bound[parameter.arg] = value
    return bound if set(given) <= set(bound) else None


def _clashes(
    table: Statements, entry: Statement, node: ast.FunctionDef, site: Statement, bound: dict[str, ast.expr]
) -> bool:
    """True when a local of the function means something else where the call stands."""
    scope = table.function_scope[node]
    if scope.globals or scope.nonlocals:
        return True
    for name in scope.bound:
        argument = bound.get(name)
        if isinstance(argument, ast.Name) and argument.id == name:
            if len(table.binders.get((scope.number, name), ())) > 1:
                return True
        elif table.resolve(name, site.scope) is not None:
            return True
    return False


def _result(table: Statements, site: Statement, tail: ast.Return | None) -> str | None:
    """The statement that takes the function's result; "" where none is needed, None where none can be."""
    value = table.source.segment(tail.value) if tail is not None and tail.value is not None else None
    node = site.node
    if isinstance(node, ast.Expr):
        return "" if value is None else value
    if value is None:
        return None
    if isinstance(node, ast.Return):
        return f"return {value}"
    if isinstance(node, ast.Assign):
        targets = " = ".join(table.source.segment(target) for target in node.targets)
        return f"{targets} = {value}"
    return None


PASS = Pass("functions", "functions called once, written out at the call", hints)
