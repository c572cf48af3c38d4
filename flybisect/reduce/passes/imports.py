"""Names of modules that are imported as a whole as well: `fx.rocdl` for `rocdl`, without its import."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.scopes import Statement, Statements


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """For each `from m import a` where the script has `import m as x`: `x.a` for every `a`."""
    found: list[Hint] = []
    for entry in table.all:
        edits = _through_module(table, entry)
        if edits:
            text = table.source.segment(entry.node)
            cut = Cut(frozenset([entry.number]), edits=frozenset(edits))
            found.append(Hint(f"through module: {text}", cut, likely=True))
    return found


def _through_module(table: Statements, entry: Statement) -> set[Edit]:
    """Empty where one of the names cannot be read that way."""
    node = entry.node
    if not isinstance(node, ast.ImportFrom) or node.level or node.module in (None, "__future__"):
        return set()
    module = _whole(table, entry, node.module or "")
    edits: set[Edit] = set()
    for alias in node.names:
        name = alias.asname or alias.name
        key = table.owner(name, entry.scope)
        if module is None or alias.name == "*" or table.binders.get(key) != [entry]:
            return set()
        for _, use in table.users.get(key, ()):
            end = use.offset + len(name)
            if table.source.text[use.offset : end] != name or not isinstance(use.node, ast.Name):
                return set()
            if table.resolve(module, use.scope) != (0, module):
                return set()
            edits.add(Edit(use.offset, end, f"{module}.{alias.name}"))
    return edits


def _whole(table: Statements, entry: Statement, module: str) -> str | None:
    """The name of a module that is imported at the top before a statement, and never bound again."""
    for each in table.all[: entry.number]:
        if isinstance(each.node, ast.Import) and each.parent is None:
            for alias in each.node.names:
                name = alias.asname or alias.name
                own = alias.name == module and "." not in name
                if own and table.binders.get((0, name)) == [each]:
                    return name
    return None


PASS = Pass(
    "imports", "names of a module that is imported whole as well, through it", hints, phase=PassPhase.NUMBERS
)
