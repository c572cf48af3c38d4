"""Removing statements: what has to go with them, and the edits that do it.

A cut is closed under use: whatever would read a name that is no longer bound goes too, the
keyword argument alone where that is enough, else the statement. A block that loses all its
statements takes its `if`, loop or `with` along; a function keeps a `pass`.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from flybisect.source.edit import Edit, apply
from flybisect.source.elements import (
    Element,
    pairs,
    removal_edits,
    span,
)
from flybisect.source.scopes import (
    TRIES,
    Key,
    Statement,
    Statements,
    Use,
    blocks,
)
from flybisect.source.substitute import Substitutes

_SEPARATOR = re.compile(r"[ \t]*;[ \t]*(\\\r?\n[ \t]*)?")
"""What stands between two statements of one line."""


@dataclass(frozen=True)
class Cut:
    """What goes: whole statements, members of comma lists in the ones that stay, and replacements."""

    statements: frozenset[int] = frozenset()
    elements: frozenset[Element] = frozenset()
    edits: frozenset[Edit] = frozenset()
    lost: frozenset[Key] = frozenset()
    """Variables that the rest of the cut unbinds (a parameter that is dropped)."""
    bypassed: frozenset[int] = frozenset()
    """Statements that go, with something else bound to the variables that others still read."""

    def __or__(self, other: Cut) -> Cut:
        return Cut(
            self.statements | other.statements,
            self.elements | other.elements,
            self.edits | other.edits,
            self.lost | other.lost,
            self.bypassed | other.bypassed,
        )


def close(table: Statements, cut: Cut, substitutes: Substitutes | None = None) -> Cut:
    """The smallest cut that holds the given one and leaves no name unbound.

    Names that were unbound before are let be. A variable of a bypassed statement gets a substitute
    where there is one. The result has nothing `bypassed`: what was is in its statements and edits.
    """
    removed = {part for number in cut.statements | cut.bypassed for part in table.subtree(number)}
    bypassed = {part for number in cut.bypassed for part in table.subtree(number)}
    elements = set(cut.elements)
    repairs: dict[Key, _Repair] = {}
    was_unbound = {use.node for _, use in table.unbound()}
    while True:
        size = len(removed), len(elements), len(repairs)
        _drop_empty_owners(table, removed)
        _drop_empty_assignments(table, removed, elements)
        spans = [(e.start, e.end) for e in cut.edits] + [_element_span(table, e) for e in elements]
        for entry, use in [*table.unbound(removed), *_reads(table, removed, cut.lost)]:
            if use.node in was_unbound or entry.number in removed:
                continue
            if any(start <= use.offset < end for start, end in spans):
                continue
            key = table.resolve(use.name, use.scope)
            if key is not None and (
                key in repairs or _repair(table, key, entry, bypassed, removed, repairs, substitutes)
            ):
                continue
            keyword = _keyword_around(entry, use)
            if keyword is None:
                removed.update(table.subtree(entry.number))
            else:
                elements.add(keyword)
        _drop_readers_of_results(table, removed, spans)
        if size == (len(removed), len(elements), len(repairs)):
            return _settled(table, cut, removed, elements, repairs)


@dataclass(frozen=True)
class _Repair:
    """`variable = text` in place of a bypassed statement."""

    statement: int
    name: str
    text: str


def _repair(
    table: Statements,
    key: Key,
    user: Statement,
    bypassed: set[int],
    removed: set[int],
    repairs: dict[Key, _Repair],
    substitutes: Substitutes | None,
) -> bool:
    """Finds a substitute for a variable that only bypassed statements bound."""
    binders = [b for b in table.binders.get(key, ()) if b.number in bypassed]
    if substitutes is None or not binders or key[0] not in {user.scope.number, binders[0].scope.number}:
        return False
    place = table.all[_outermost(table, binders[0].number, removed)]
    text = substitutes.for_variable(key, user, place.start, removed)
    if text is None:
        return False
    repairs[key] = _Repair(binders[0].number, key[1], text)
    return True


def _outermost(table: Statements, number: int, removed: set[int]) -> int:
    """The largest removed statement that holds this removed one."""
    for ancestor in table.ancestors(number):
        if ancestor not in removed:
            break
        number = ancestor
    return number


def _settled(
    table: Statements, cut: Cut, removed: set[int], elements: set[Element], repairs: dict[Key, _Repair]
) -> Cut:
    """The cut with its repairs as edits, those that nothing left reads left out."""
    lines: dict[int, list[str]] = {}
    for key, repair in repairs.items():
        if any(user.number not in removed for user, _ in table.users.get(key, ())):
            place = _outermost(table, repair.statement, removed)
            lines.setdefault(place, []).append(f"{repair.name} = {repair.text}")
    edits = set(cut.edits)
    for place, texts in lines.items():
        entry = table.all[place]
        indent = table.source.indent(entry.node)
        edits.add(Edit(entry.start, entry.end, f"\n{indent}".join(texts)))
    replaced = {part for place in lines for part in table.subtree(place)}
    return Cut(frozenset(removed - replaced), frozenset(elements), frozenset(edits), cut.lost)


def _element_span(table: Statements, element: Element) -> tuple[int, int]:
    return span(table.source, element.owner, element.node)


def _reads(table: Statements, removed: set[int], gone: frozenset[Key]) -> list[tuple[Statement, Use]]:
    return [pair for key in gone for pair in table.users.get(key, ()) if pair[0].number not in removed]


def _drop_empty_owners(table: Statements, removed: set[int]) -> None:
    """Removes the `if`, loops, `with` and `try` whose body is gone and that have nothing else."""
    for entry in reversed(table.all):
        if entry.number in removed or not entry.parts:
            continue
        node = entry.node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        left = {table.all[part].block for part in entry.parts if part not in removed}
        if not left or (isinstance(node, (ast.For, ast.While, *TRIES)) and "body" not in left):
            removed.update(table.subtree(entry.number))


def _drop_readers_of_results(table: Statements, removed: set[int], spans: list[tuple[int, int]]) -> None:
    """Removes what reads the result of a function that has lost all its `return`s with a value."""
    for function, returns, readers in table.results:
        if function.number in removed or any(each.number not in removed for each in returns):
            continue
        for reader, use in readers:
            if reader.number not in removed and not any(a <= use.offset < b for a, b in spans):
                removed.update(table.subtree(reader.number))


def _drop_empty_assignments(table: Statements, removed: set[int], elements: set[Element]) -> None:
    """Removes a parallel assignment that has lost all its pairs."""
    going = {element.node for element in elements}
    for entry in table.all:
        found = pairs(entry.node)
        if found and all(target in going for target, _ in found):
            removed.add(entry.number)


def _keyword_around(entry: Statement, use: Use) -> Element | None:
    """The innermost keyword argument of a call, in the statement's own text, that holds the use."""
    found: Element | None = None
    for node in own_nodes(entry.node):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg is not None and any(n is use.node for n in ast.walk(keyword.value)):
                    found = Element(node, keyword)
    return found


def own_nodes(statement: ast.stmt) -> list[ast.AST]:
    """All nodes of a statement, the statements inside it left out, in breadth-first order."""
    found: list[ast.AST] = []
    queue: list[ast.AST] = [statement]
    while queue:
        node = queue.pop(0)
        found.append(node)
        queue += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
    return found


# -- the text of a cut -------------------------------------------------------------------------


def carry_out(table: Statements, cut: Cut) -> str:
    """The text without what a closed cut takes. Raises `edit.Conflict` where its edits overlap."""
    return apply(table.source.text, cut_edits(table, cut))


def cut_edits(table: Statements, cut: Cut) -> list[Edit]:
    """Edits that carry a cut out."""
    inside = [(table.all[number].start, table.all[number].end) for number in cut.statements]
    found = [
        edit
        for edit in [*cut.edits, *removal_edits(table.source, cut.elements)]
        if not any(start <= edit.start and edit.end <= end for start, end in inside)
    ]
    found += _block_edits(table, table.source.tree.body, cut.statements, None, "body")
    for entry in table.all:
        if entry.number in cut.statements:
            continue
        for name, body in blocks(entry.node):
            found += _block_edits(table, body, cut.statements, entry, name)
    return found


def _block_edits(
    table: Statements, body: list[ast.stmt], removed: frozenset[int], owner: Statement | None, name: str
) -> list[Edit]:
    entries = [table.by_node[node] for node in body]
    going = [entry for entry in entries if entry.number in removed]
    if not going:
        return []
    if len(going) == len(entries) and owner is not None:
        if name in ("orelse", "finalbody") and not _only_clause(owner.node, name):
            return [_clause_edit(table, owner, name, entries)]
        return [Edit(entries[0].start, entries[-1].end, "pass")]
    edits: list[Edit] = []
    run: list[Statement] = []
    for entry in [*entries, None]:
        if entry is not None and entry.number in removed:
            run.append(entry)
        elif run:
            edits.append(_run_edit(table, entries, run))
            run = []
    return edits


def _only_clause(node: ast.stmt, name: str) -> bool:
    """A `try` without handlers cannot lose its `finally`."""
    return name == "finalbody" and isinstance(node, TRIES) and not node.handlers


def _clause_edit(table: Statements, owner: Statement, name: str, entries: list[Statement]) -> Edit:
    """Removes an `else`, `elif` or `finally` with all in it."""
    ends = [
        table.by_node[body[-1]].end
        for block, body in blocks(owner.node)
        if body and block != name and table.by_node[body[-1]].end <= entries[0].start
    ]
    source = table.source
    return Edit(source.line_end(max(ends) - 1), source.line_end(entries[-1].end - 1))


def _run_edit(table: Statements, siblings: list[Statement], run: list[Statement]) -> Edit:
    """Removes consecutive statements of one block, of which something stays."""
    source, text = table.source, table.source.text
    start, end = run[0].start, run[-1].end
    following = [s for s in siblings if s.start >= end]
    separator = _SEPARATOR.match(text, end)
    if separator is not None:
        end = separator.end()
    begin, stop = source.line_begin(start), source.line_end(max(start, end - 1))
    tail = text[end:stop].strip()
    if not text[begin:start].strip() and (not tail or tail.startswith("#")):
        return Edit(*_widen(table, begin, stop))
    if following and following[0].start == end:
        return Edit(start, following[0].start)
    before = [s for s in siblings if s.end <= start]
    return Edit(before[-1].end if before else start, end)


def _widen(table: Statements, begin: int, stop: int) -> tuple[int, int]:
    """Takes along a comment that spoke of a removed paragraph, and one of two blank gaps."""
    text, source = table.source.text, table.source

    def line_before(at: int) -> str | None:
        return text[source.line_begin(at - 1) : at] if at > 0 else None

    def line_after(at: int) -> str | None:
        return text[at : source.line_end(at)] if at < len(text) else None

    after = line_after(stop)
    indent = len(text[begin:]) - len(text[begin:].lstrip(" \t"))
    ends_paragraph = after is None or not after.strip() or _indent(after) < indent
    above = line_before(begin)
    while ends_paragraph and above is not None and above.strip().startswith("#") and begin > 0:
        if _indent(above) != indent or above.startswith("#!"):
            break
        begin = source.line_begin(begin - 1)
        above = line_before(begin)
    gap_above = _blank_lines_above(table, begin)
    gap_below = _blank_lines_below(table, stop)
    opens = text[:begin].rstrip().endswith(":")
    if gap_below and (opens or gap_above >= gap_below):
        stop = source.line_starts[source.line_of(stop) - 1 + gap_below]
    elif gap_above and gap_below:
        begin = source.line_starts[source.line_of(begin) - 1 - gap_above]
    return begin, stop


def _blank_lines_above(table: Statements, begin: int) -> int:
    source, count = table.source, 0
    line = source.line_of(begin) - 1
    while (
        line - count > 0
        and not source.text[source.line_starts[line - count - 1] : source.line_starts[line - count]].strip()
    ):
        count += 1
    return count


def _blank_lines_below(table: Statements, stop: int) -> int:
    source, count = table.source, 0
    if stop >= len(source.text):
        return 0
    line = source.line_of(stop) - 1
    while (
        line + count + 1 < len(source.line_starts)
        and not source.text[source.line_starts[line + count] : source.line_starts[line + count + 1]].strip()
    ):
        count += 1
    return count


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
