"""Keyword arguments of calls, and the options of decorators."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import PERHAPS, DynamicFacts, Hint, Pass, PassPhase
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.edit import Edit
from flybisect.source.elements import Element
from flybisect.source.scopes import Statement, Statements, qualified


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Decorators without their brackets, decorators whole, each keyword argument."""
    found: list[Hint] = []
    for entry in table.all:
        decorators = getattr(entry.node, "decorator_list", [])
        for decorator in decorators:
            found += _decorator(table, entry, decorator)
        for call in own_nodes(entry.node):
            if isinstance(call, ast.Call):
                for keyword in call.keywords:
                    if _makes_it_what_it_is(entry, call, keyword):
                        continue
                    if not (call in decorators and len(call.keywords) + len(call.args) == 1):
                        label = f"{qualified(table, entry)}: {table.source.segment(call)} - {keyword.arg}"
                        cut = Cut(elements=frozenset([Element(call, keyword)]))
                        found.append(Hint(label, cut, likely=table.outside_functions(entry)))
    return found


def _makes_it_what_it_is(entry: Statement, call: ast.Call, keyword: ast.keyword) -> bool:
    """`init=` of a loop that names the values it carries; how an option is read from the command line."""
    if isinstance(entry.node, ast.For) and call is entry.node.iter:
        return keyword.arg == "init" and isinstance(entry.node.target, ast.Tuple)
    if isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument":
        return keyword.arg in ("action", "type", "nargs", "dest", "const")
    return False


def _defines(decorator: ast.expr) -> bool:
    """True for a decorator that makes a kernel, a launcher or a struct: nothing is left without it."""
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(node, ast.Attribute) and node.attr in ("kernel", "jit", "struct")


def _decorator(table: Statements, entry: Statement, decorator: ast.expr) -> list[Hint]:
    source = table.source
    found: list[Hint] = []
    start, end = source.span(decorator)
    if isinstance(decorator, ast.Call):
        bare = Edit(source.span(decorator.func)[1], end)
        found.append(Hint(f"bare @{source.segment(decorator)}", Cut(edits=frozenset([bare]))))
    if _defines(decorator):
        return found
    line = source.line_begin(start), source.line_end(end - 1)
    if not source.text[line[0] : start].strip(" \t@") and entry.start < line[1]:
        label = f"no @{source.segment(decorator)} {getattr(entry.node, 'name', '')}"
        following = source.text[line[1] :]
        stop = line[1] + len(following) - len(following.lstrip(" \t"))
        at = max(line[0], entry.start)
        found.append(Hint(label, Cut(edits=frozenset([Edit(at, stop if at == entry.start else line[1])]))))
    return found


PASS = Pass(
    "arguments",
    "keyword arguments, decorators and their options",
    hints,
    phase=PassPhase.FINE,
    chance=PERHAPS,
)
