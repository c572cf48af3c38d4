"""Everything outside the backward slice of the operation that the compiler names in its error."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.script.cut import Cut
from flybisect.script.scopes import Key, Statement, Statements


def hints(table: Statements, facts: Facts) -> Sequence[Hint]:
    """The narrow slice (definitions alone), then one with what writes into the objects it uses."""
    if facts.failing_line is None:
        return []
    failing = table.at_line(facts.failing_line)
    if failing is None:
        return []
    found = []
    for rank, writers in enumerate((False, True)):
        kept = backward_slice(table, failing, writers)
        gone = frozenset(entry.number for entry in table.all) - kept
        if gone:
            found.append(Hint(f"slice {writers} {len(table.all)}", Cut(statements=gone), rank))
    return found


def backward_slice(table: Statements, failing: Statement, writers: bool) -> frozenset[int]:
    """The failing statement, what it needs to be reached, and what defines the names they use.

    With `writers`, calls and stores that are given one of those names belong to it as well, since
    they may fill a tensor that is read later.
    """
    kept: set[int] = set()
    queue = [failing]
    while queue:
        entry = queue.pop()
        if entry.number in kept:
            continue
        kept.add(entry.number)
        queue += _needed(table, entry)
        if writers and not queue:
            queue += _writers(table, kept)
    return frozenset(kept)


def _needed(table: Statements, entry: Statement) -> list[Statement]:
    needed = [table.all[number] for number in table.ancestors(entry.number)]
    for use in entry.uses:
        key = table.resolve(use.name, use.scope)
        if key is not None:
            needed += table.binders.get(key, [])
    if isinstance(entry.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        key = table.owner(entry.node.name, entry.scope)
        for user, _ in table.users.get(key, ()):
            needed += [user, *_launches(table, user)]
        needed += [
            table.all[number]
            for number in table.subtree(entry.number)
            if isinstance(table.all[number].node, ast.Return) and table.all[number].scope is not entry.scope
        ]
    return needed


def _launches(table: Statements, caller: Statement) -> list[Statement]:
    """What is done with a call's result where a name was given to it, as `kernel.launch(…)`."""
    if not isinstance(caller.node, ast.Assign):
        return []
    keys = [table.owner(name, scope) for name, scope in caller.binds]
    return [user for key in keys for user, _ in table.users.get(key, ()) if isinstance(user.node, ast.Expr)]


def _writers(table: Statements, kept: set[int]) -> list[Statement]:
    names: set[Key] = set()
    for number in kept:
        for use in table.all[number].uses:
            key = table.resolve(use.name, use.scope)
            # Whatever touches a module (`fx`, `torch`) would otherwise count as touching its state.
            if key is not None and not all(
                isinstance(b.node, (ast.Import, ast.ImportFrom, ast.FunctionDef))
                for b in table.binders.get(key, [])
            ):
                names.add(key)
    return [
        entry
        for entry in table.all
        if entry.number not in kept
        and _has_effect(entry.node)
        and any(table.resolve(use.name, use.scope) in names for use in entry.uses)
    ]


def _has_effect(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return any(not isinstance(target, ast.Name) for target in node.targets)
    return isinstance(node, (ast.Expr, ast.AugAssign))


PASS = Pass("slice", "what the failing operation does not depend on", hints)
