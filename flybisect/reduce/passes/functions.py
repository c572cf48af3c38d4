"""Functions: what they compute, written out where they are called."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import MOVED, DynamicFacts, Hint, Pass
from flybisect.reduce.passes.parameters import calls_of
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.edit import Edit, apply
from flybisect.source.elements import default_of
from flybisect.source.expressions import ATOMS, bracketed, stands_alone
from flybisect.source.fresh import fresh
from flybisect.source.layout import reindented
from flybisect.source.scopes import Scope, Statement, Statements
from flybisect.source.source import Source

GROWTH = 100
"""Characters that may be added by writing an expression out at several calls."""


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Undecorated functions: those that only return an expression, then those with a longer body."""
    found = [written_out(table, entry) for entry in table.all]
    return [hint for hint in found if hint is not None]


def written_out(table: Statements, entry: Statement) -> Hint | None:
    """The hint for one function; None where it can't be written out, or the statement is none."""
    node = entry.node
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return None
    calls = calls_of(table, entry)
    if not calls:
        return None
    hint = _as_expression(table, entry, node, calls)
    if hint is None and len(calls) == 1:
        hint = _as_statements(table, entry, node, calls[0])
    return hint


def _body(node: ast.FunctionDef) -> list[ast.stmt]:
    return node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body


def _as_expression(
    table: Statements, entry: Statement, node: ast.FunctionDef, calls: list[ast.Call]
) -> Hint | None:
    """`def f(a): return g(a)`: the expression in place of each call, arguments for parameters."""
    body = _body(node)
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return None
    if (len(calls) - 1) * len(table.source.segment(body[0].value)) > GROWTH:
        return None
    if any(inner is not call and inner in ast.walk(call) for call in calls for inner in calls):
        return None  # `f(f(x))`: the outer replacement would carry the inner call along.
    scope = table.function_scope[node]
    edits: set[Edit] = set()
    for call in calls:
        site = _statement_around(table, call)
        bound = bind(node, call)
        if site is None or bound is None or entry.number in {site.number, *table.ancestors(site.number)}:
            return None
        returned = table.by_node[body[0]]
        for use in returned.uses:
            key = table.resolve(use.name, use.scope)
            if key is not None and key[0] not in {scope.number, use.scope.number}:
                if table.resolve(use.name, site.scope) != key:
                    return None
        text = _with_arguments(table, returned, scope, bound)
        if text is None:
            return None
        edits.add(Edit(*table.source.span(call), text))
    return Hint(f"inline {node.name}", Cut(statements=frozenset([entry.number]), edits=frozenset(edits)))


def _with_arguments(
    table: Statements, returned: Statement, scope: Scope, bound: dict[str, ast.expr]
) -> str | None:
    """The returned expression's text with each parameter by its argument."""
    assert isinstance(returned.node, ast.Return) and returned.node.value is not None
    start, end = table.source.span(returned.node.value)
    edits = []
    for use in returned.uses:
        if table.resolve(use.name, use.scope) != (scope.number, use.name):
            continue
        argument = bound.get(use.name)
        if argument is None:
            return None
        text = table.source.segment(argument)
        if not isinstance(argument, ATOMS) or not stands_alone(text):
            text = bracketed(text)
        edits.append(Edit(use.offset - start, use.offset + len(use.name) - start, text))
    text = apply(table.source.text[start:end], edits)
    return text if isinstance(returned.node.value, ATOMS) and stands_alone(text) else f"({text})"


def _statement_around(table: Statements, call: ast.Call) -> Statement | None:
    for entry in table.all:
        if any(node is call for node in own_nodes(entry.node)):
            return entry
    return None


def _as_statements(table: Statements, entry: Statement, node: ast.FunctionDef, call: ast.Call) -> Hint | None:
    """The body before the statement that calls, and what it returns in the call's place."""
    site = _statement_around(table, call)
    if site is None or site.parts or entry.number in {site.number, *table.ancestors(site.number)}:
        return None
    if not isinstance(site.node, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return)) or _deferred(site, call):
        return None
    bound = bind(node, call)
    names = _renamed(table, node, site, bound) if bound is not None else None
    if bound is None or names is None:
        return None
    body = _body(node)
    tail = body[-1] if body and isinstance(body[-1], ast.Return) else None
    own = _run_by(table, node)
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for each in own for n in own_nodes(each.node)):
        return None
    if any(isinstance(each.node, ast.Return) and each.node is not tail for each in own):
        return None
    renames = _rename_edits(table, node, names)
    if renames is None:
        return None
    last = _calling_statement(table, site, call, tail, renames)
    if last is None:
        return None
    indent = table.source.indent(site.node)
    lines = [
        f"{names.get(name, name)} = {table.source.segment(value)}"
        for name, value in bound.items()
        if not (isinstance(value, ast.Name) and value.id == names.get(name, name))
    ]
    straight = body[: len(body) - (tail is not None)]
    if straight:
        start, end = table.source.span(straight[0])[0], table.source.span(straight[-1])[1]
        lines.append(
            reindented(_with(table.source, renames), start, end + _growth(renames, start, end), indent)
        )
    lines += [last] if last else []
    edit = Edit(site.start, site.end, f"\n{indent}".join(lines) or "pass")
    cut = Cut(statements=frozenset([entry.number]), edits=frozenset([edit]))
    return Hint(f"inline {node.name} {len(edit.text)}", cut)


def _run_by(table: Statements, node: ast.FunctionDef) -> list[Statement]:
    """The statements that run in the function's own scope."""
    scope = table.function_scope[node]
    return [entry for entry in table.all if entry.scope is scope]


def _deferred(site: Statement, call: ast.Call) -> bool:
    """True where the call stands in a lambda or comprehension, so that it does not run just once."""
    inner = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.BoolOp)
    return any(
        isinstance(node, inner) and any(part is call for part in ast.walk(node))
        for node in own_nodes(site.node)
    )


def _calling_statement(
    table: Statements, site: Statement, call: ast.Call, tail: ast.Return | None, renames: list[Edit]
) -> str | None:
    """The statement with the result for the call; "" where nothing is left of it, None where it can't be."""
    value = tail.value if tail is not None else None
    if isinstance(site.node, ast.Expr) and site.node.value is call and value is None:
        return ""
    if value is None:
        return None
    start, end = table.source.span(value)
    inside = [Edit(e.start - start, e.end - start, e.text) for e in renames if start <= e.start < end]
    text = apply(table.source.text[start:end], inside)
    whole = getattr(site.node, "value", None) is call
    if whole and isinstance(site.node, ast.Assign) and _is_named(site.node, text):
        return ""  # `launch = launch`, of a factory that returns what it defines.
    if not whole and not isinstance(value, ATOMS):
        text = f"({text})"
    start, end = table.source.span(call)
    return apply(table.source.segment(site.node), [Edit(start - site.start, end - site.start, text)])


def _is_named(node: ast.Assign, name: str) -> bool:
    return all(isinstance(target, ast.Name) and target.id == name for target in node.targets)


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


def _renamed(
    table: Statements, node: ast.FunctionDef, site: Statement, bound: dict[str, ast.expr]
) -> dict[str, str] | None:
    """Other names for the locals of the function that mean something else where the call stands.

    What only the calling statement itself binds (`A, B = make()`) may be a local's name. None where
    the function declares names of other scopes.
    """
    scope = table.function_scope[node]
    if scope.globals or scope.nonlocals:
        return None
    taken = {name for each in table.scopes for name in each.bound}
    names: dict[str, str] = {}
    for name in sorted(scope.bound):
        argument = bound.get(name)
        if isinstance(argument, ast.Name) and argument.id == name:
            clash = len(table.binders.get((scope.number, name), ())) > 1
        else:
            key = table.resolve(name, site.scope)
            clash = key is not None and table.binders.get(key) != [site]
        if clash:
            names[name] = fresh(name, taken)
    return names


def _rename_edits(table: Statements, node: ast.FunctionDef, names: dict[str, str]) -> list[Edit] | None:
    """Edits in the function's body; None where a name is bound by something else than a plain target."""
    scope = table.function_scope[node]
    edits: list[Edit] = []
    for name, new in names.items():
        key = (scope.number, name)
        edits += [
            Edit(use.offset, use.offset + len(name), new)
            for _, use in table.users.get(key, ())
            if isinstance(use.node, ast.Name)
        ]
        for binder in table.binders.get(key, ()):
            if binder.node is node:
                continue  # The parameter itself.
            targets = [
                part
                for part in own_nodes(binder.node)
                if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store)
            ]
            if not targets:
                return None
            starts = [table.source.span(target)[0] for target in targets]
            edits += [Edit(start, start + len(name), new) for start in starts]
        if any(table.source.text[edit.start : edit.end] != name for edit in edits if edit.text == new):
            return None  # Inside an f-string, where Python before 3.12 gives no positions.
    return sorted(set(edits), key=lambda edit: edit.start)


def _with(source: Source, edits: list[Edit]) -> Source:
    return Source(apply(source.text, edits)) if edits else source


def _growth(edits: list[Edit], start: int, end: int) -> int:
    return sum(len(e.text) - (e.end - e.start) for e in edits if start <= e.start < end)


PASS = Pass("functions", "the script's own functions, written out where they are called", hints, worth=MOVED)
