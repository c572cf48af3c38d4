"""Command lines that only have switches: `"--recast" in sys.argv` in place of `argparse`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.scopes import Statement, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """One hint for each parser whose options are switches, read as `parse_args().name`."""
    found: list[Hint] = []
    for entry in table.all:
        name = _makes_parser(entry.node)
        if name is not None:
            cut = _without(table, entry, name)
            if cut is not None:
                found.append(Hint(f"flags {name}", cut))
    return found


def _makes_parser(node: ast.stmt) -> str | None:
    """`parser` of `parser = argparse.ArgumentParser(…)`."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        call = node.value
        if isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] == "ArgumentParser":
            return node.targets[0].id
    return None


def _without(table: Statements, entry: Statement, name: str) -> Cut | None:
    """The parser and its options gone, each read of one by a look at `sys.argv`."""
    key = table.owner(name, entry.scope)
    if table.binders.get(key) != [entry]:
        return None
    gone = {entry.number}
    switches: dict[str, str] = {}
    edits: list[Edit] = []
    results: list[ast.AST] = []
    for user, use in table.users.get(key, ()):
        call = _method(user.node, use.node)
        if call is None:
            return None
        if call.func.attr == "add_argument" and isinstance(user.node, ast.Expr):  # type: ignore[attr-defined]
            switch = _switch(call)
            if switch is None:
                return None
            switches[switch.lstrip("-").replace("-", "_")] = switch
            gone.add(user.number)
        elif call.func.attr == "parse_args" and not call.args:  # type: ignore[attr-defined]
            if isinstance(user.node, ast.Assign) and user.node.value is call:
                target = user.node.targets[0]
                if len(user.node.targets) != 1 or not isinstance(target, ast.Name):
                    return None
                result = table.owner(target.id, user.scope)
                if table.binders.get(result) != [user]:
                    return None
                gone.add(user.number)
                results += [read.node for _, read in table.users.get(result, ())]
            else:
                results.append(call)
        else:
            return None
    reads = _attributes(table, results)
    if reads is None or any(read.attr not in switches for read in reads):
        return None
    if not reads:
        return None
    if table.resolve("sys", entry.scope) is None:
        place = _import_of_argparse(table, gone) or entry
        gone.discard(place.number)
        edits.append(Edit(place.start, place.end, "import sys"))
    edits += [
        Edit(*table.source.span(read), f'("{switches[read.attr]}" in sys.argv)')
        if _inside_an_expression(table, read)
        else Edit(*table.source.span(read), f'"{switches[read.attr]}" in sys.argv')
        for read in reads
    ]
    return Cut(statements=frozenset(gone), edits=frozenset(edits))


def _import_of_argparse(table: Statements, gone: set[int]) -> Statement | None:
    """The import of that module alone, where nothing but the parser needs it."""
    for entry in table.all:
        if isinstance(entry.node, (ast.Import, ast.ImportFrom)) and len(entry.node.names) == 1:
            module = getattr(entry.node, "module", None) or entry.node.names[0].name
            keys = [table.owner(name, scope) for name, scope in entry.binds]
            users = [user for key in keys for user, _ in table.users.get(key, ())]
            if module == "argparse" and entry.scope.kind == "module":
                return entry if all(user.number in gone for user in users) else None
    return None


def _inside_an_expression(table: Statements, read: ast.expr) -> bool:
    """False where the read is all that is assigned or tested, so that it needs no brackets."""
    for entry in table.all:
        for field in ("value", "test"):
            if getattr(entry.node, field, None) is read:
                return False
    return True


def _method(statement: ast.stmt, name: ast.AST) -> ast.Call | None:
    """The call `name.method(…)` around a name."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.value is name:
            return node
    return None


def _switch(call: ast.Call) -> str | None:
    """`--name` of an option that is there or not."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    action = keywords.get("action")
    if not (isinstance(action, ast.Constant) and action.value == "store_true") or "dest" in keywords:
        return None
    if len(call.args) != 1 or not isinstance(call.args[0], ast.Constant):
        return None
    name = call.args[0].value
    return name if isinstance(name, str) and name.startswith("--") else None


def _attributes(table: Statements, results: list[ast.AST]) -> list[ast.Attribute] | None:
    """The attributes that are read of the parser's results; None where one is used in another way."""
    found: list[ast.Attribute] = []
    for result in results:
        around = [
            node
            for node in ast.walk(table.source.tree)
            if isinstance(node, ast.Attribute) and node.value is result and isinstance(node.ctx, ast.Load)
        ]
        if len(around) != 1:
            return None
        found += around
    return found


PASS = Pass("flags", "command lines that only have switches, replaced by tests of sys.argv", hints)
