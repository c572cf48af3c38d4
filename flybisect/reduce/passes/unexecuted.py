"""What the script never ran: other branches, helpers that nobody called, modes not chosen."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.edit import Edit
from flybisect.source.scopes import Statement, Statements, qualified


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """The outermost statements none of whose lines ran; functions whose body never did."""
    if facts.lines is None:
        return []
    outermost: list[Statement] = []
    taken: set[int] = set()
    for entry in table.all:
        if entry.parent in taken:
            taken.add(entry.number)
        elif not _ran(table, entry, facts.lines) or _idle(table, entry, facts.lines):
            taken.add(entry.number)
            outermost.append(entry)
    last = _returns_never_reached(table, outermost, taken)
    return [
        Hint(
            f"{qualified(table, entry)}-{table.source.segment(entry.node)}",
            _returning_nothing(entry) if entry.number in last else Cut(statements=frozenset([entry.number])),
        )
        for entry in outermost
        if entry.number not in last or table.source.segment(entry.node) != "return None"
    ]


def _returns_never_reached(table: Statements, outermost: list[Statement], taken: set[int]) -> set[int]:
    """For functions that were entered and never left, as the bug shows inside of them: what holds their
    last `return`. Without any, what is made of their result would go, and the call with it."""
    found: set[int] = set()
    for function, returns, _ in table.results:
        if function.number in taken or any(each.number not in taken for each in returns):
            continue
        around = {number for each in returns for number in (each.number, *table.ancestors(each.number))}
        holding = [each for each in outermost if each.number in around and _begins_itself(table, each)]
        found |= {each.number for each in holding[-1:]}
    return found


def _begins_itself(table: Statements, entry: Statement) -> bool:
    """False for an `elif`, which is an `if` in the tree alone."""
    return not table.source.text.startswith("elif", entry.start)


def _returning_nothing(entry: Statement) -> Cut:
    return Cut(edits=frozenset([Edit(entry.start, entry.end, "return None")]))


def _ran(table: Statements, entry: Statement, lines: frozenset[int]) -> bool:
    """True when any line of the statement ran, the statements inside it included."""
    first, last = table.source.line_of(entry.start), table.source.line_of(max(entry.start, entry.end - 1))
    if any(line in lines for line in range(first, last + 1)):
        return True
    # What compiles to no code of its own leaves no trace.
    return isinstance(entry.node, (ast.Global, ast.Nonlocal, ast.Pass)) or _bare_constant(entry.node)


def _bare_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _idle(table: Statements, entry: Statement, lines: frozenset[int]) -> bool:
    """A function that was defined and never entered, and whose name nothing that ran reads."""
    node = entry.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    inside = [table.all[number] for number in table.subtree(entry.number)][1:]
    own = {table.source.line_of(table.source.span(n)[0]) for n in own_nodes(node) if hasattr(n, "lineno")}
    body_lines = {
        line
        for part in inside
        for line in range(table.source.line_of(part.start), table.source.line_of(part.end - 1) + 1)
    }
    if (body_lines - own) & lines:
        return False
    key = table.owner(node.name, entry.scope)
    return not any(_ran(table, user, lines) for user, _ in table.users.get(key, ()) if user not in inside)


PASS = Pass("unexecuted", "what the script never ran", hints, phase=PassPhase.FIRST)
