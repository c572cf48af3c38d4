"""Arguments that are handed on as one: `f(*args)` by the members of `args` where they are written down."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.reduce.passes import names
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.edit import Edit
from flybisect.source.elements import span
from flybisect.source.scopes import Statement, Statements, qualified

Display = ast.Tuple | ast.List


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """`f(a, b)` for `f(*(a, b))`, and for `args = (a, b)` with `f(*args)` wherever it is read."""
    found: list[Hint] = []
    for entry in table.all:
        for call in own_nodes(entry.node):
            for star in _stars(call):
                if isinstance(star.value, Display) and star.value.elts:
                    edit = Edit(*table.source.span(star), _members(table, star.value))
                    label = f"spread {qualified(table, entry)}: {table.source.segment(star)}"
                    found.append(Hint(label, Cut(edits=frozenset([edit]))))
        cut = _named(table, entry)
        if cut is not None:
            label = f"spread {qualified(table, entry)}: {table.source.segment(entry.node)}"
            found.append(Hint(label, cut))
    return found


def _stars(node: ast.AST) -> list[ast.Starred]:
    arguments = node.args if isinstance(node, ast.Call) else []
    return [each for each in arguments if isinstance(each, ast.Starred)]


def _members(table: Statements, display: Display) -> str:
    source = table.source
    first, last = (span(source, display, display.elts[at]) for at in (0, -1))
    return source.text[first[0] : last[1]]


def _named(table: Statements, entry: Statement) -> Cut | None:
    """For an assignment of a display that is only ever spread over the arguments of calls."""
    node = entry.node
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    target, value = node.targets[0], node.value
    if not isinstance(target, ast.Name) or not isinstance(value, Display) or not value.elts:
        return None
    key = table.owner(target.id, entry.scope)
    uses = table.users.get(key, [])
    if table.binders.get(key) != [entry] or not uses:
        return None
    alike = all(names.plain(table, entry, element, uses) for element in value.elts)
    if not alike and not (len(uses) == 1 and names.fits(table, entry, *uses[0])):
        return None
    edits = set()
    for user, use in uses:
        stars = [each for call in own_nodes(user.node) for each in _stars(call) if each.value is use.node]
        if len(stars) != 1:
            return None
        edits.add(Edit(*table.source.span(stars[0]), _members(table, value)))
    return Cut(statements=frozenset([entry.number]), edits=frozenset(edits))


PASS = Pass("spread", "arguments that are handed on as one, by what they are", hints, phase=PassPhase.FINE)
