"""Definitions that nothing reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Set

from flybisect.script.cut import Cut
from flybisect.script.elements import span
from flybisect.script.scopes import Key, Statement, Statements

_WORD = re.compile(r"[^\W\d]\w*")


def unread(table: Statements, cut: Cut | None = None) -> list[int]:
    """Assignments, imports and functions whose names nothing reads once a closed cut is made.

    Outermost statements, in the order in which they become unread. A store into an attribute or an
    element has an effect and is not among them, nor is a field of a class.
    """
    cut = cut or Cut()
    gone = set(cut.statements)
    spans = [(edit.start, edit.end) for edit in cut.edits]
    spans += [span(table.source, element.owner, element.node) for element in cut.elements]
    written = {word for edit in cut.edits for word in _WORD.findall(edit.text)}
    replaced = {entry.number for entry in table.all if _inside(entry, spans)}
    found: list[int] = []
    while True:
        size = len(found)
        for entry in table.all:
            if entry.number in gone or entry.number in replaced:
                continue
            if _defines_only(entry.node, entry) and not _is_read(table, entry, gone, spans, written):
                gone.update(table.subtree(entry.number))
                found.append(entry.number)
        if len(found) == size:
            return found


def with_unread(table: Statements, cut: Cut) -> Cut:
    """A closed cut together with what nothing reads any more because of it."""
    before = set(unread(table))
    more = {number for number in unread(table, cut) if number not in before}
    parts = frozenset(part for number in more for part in table.subtree(number))
    return Cut(cut.statements | parts, cut.elements, cut.edits, cut.lost)


def _inside(entry: Statement, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= entry.start and entry.end <= end for start, end in spans)


def _defines_only(node: ast.stmt, entry: Statement) -> bool:
    if entry.scope.kind == "class" or (isinstance(node, ast.AnnAssign) and node.value is None):
        return False  # A field or a declaration, read through the class or by a checker.
    if isinstance(node, ast.ImportFrom) and (node.module == "__future__" or node.names[0].name == "*"):
        return False
    if isinstance(node, ast.Assign):
        return all(_plain(target) for target in node.targets)
    return isinstance(node, (ast.AnnAssign, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef))


def _plain(target: ast.expr) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(_plain(element) for element in target.elts)
    return isinstance(target, ast.Name)


def _is_read(
    table: Statements, entry: Statement, gone: Set[int], spans: list[tuple[int, int]], written: Set[str]
) -> bool:
    inside: Set[int] = {entry.number}
    if isinstance(entry.node, (ast.FunctionDef, ast.ClassDef)):
        inside = set(table.subtree(entry.number))
    keys: list[Key] = [table.owner(name, scope) for name, scope in entry.binds if scope is entry.scope]
    for key in keys:
        if key[1] in written:
            return True
        for user, use in table.users.get(key, ()):
            if user.number not in gone and user.number not in inside:
                if not any(start <= use.offset < end for start, end in spans):
                    return True
    return False
