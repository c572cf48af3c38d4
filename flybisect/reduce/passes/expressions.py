"""Expressions by one of their operands, or by a small constant where an index is computed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import RARELY, DynamicFacts, Hint, Pass, PassPhase
from flybisect.reduce.labels import label_of, outline, outline_of
from flybisect.source.cut import Cut
from flybisect.source.edit import Edit
from flybisect.source.expressions import (
    SCOPES,
    Place,
    modules,
    operand_text,
    parts_of,
    places,
    root_name,
)
from flybisect.source.instrument import ObservedTypes, around
from flybisect.source.scopes import Statements
from flybisect.source.substitute import Substitutes

INTEGER = re.compile(r"U?[Ii]nt(\d+)?|Index|IntTuple")
"""Classes that stand for one another where an integer is meant."""
SCALAR = re.compile(r"(U?Int|Float|BFloat)\d+(\|.*)?")
"""Classes of the DSL that a plain Python number mostly does for as well."""


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """The outermost expressions first, so that large ones go at once."""
    imported = modules(table)
    substitutes = Substitutes(table, facts.kinds)
    found: list[Hint] = []
    for entry in table.all:
        for place in places(table, entry):
            news = list(_replacements(table, place, imported, facts.kinds))
            if isinstance(place.node, ast.Call) and not isinstance(place.parent, ast.Expr):
                news += _another(table, place, facts.kinds, substitutes)
            old = outline(place.node) if news else ""
            for new in dict.fromkeys(news):
                edit = Edit(*table.source.span(place.node), new)
                label = f"{label_of(table, entry)} {old} -> {outline_of(new)}"
                likely = _converts(place.node, new, table, imported) or table.outside_functions(entry)
                found.append(Hint(label, Cut(edits=frozenset([edit])), likely=likely))
    return found


def _converts(node: ast.expr, new: str, table: Statements, imported: frozenset[str]) -> bool:
    """`x` for `fx.Int32(x)`: it mostly does as well."""
    if not isinstance(node, ast.Call) or node.keywords or len(node.args) != 1:
        return False
    if not isinstance(node.func, (ast.Name, ast.Attribute)) or root_name(node.func) not in imported:
        return False
    return new.strip("()") == table.source.segment(node.args[0]).strip("()")


def _replacements(
    table: Statements, place: Place, imported: frozenset[str], kinds: ObservedTypes
) -> Iterator[str]:
    if isinstance(place.parent, ast.Expr):
        return  # Its value is not used: to lose the operation is to lose the statement.
    if isinstance(place.parent, (ast.For, ast.comprehension)) and "range" in _callee(place.node):
        return  # Nobody can iterate over the operand of `range(n)`.
    where = around(table, place.statement)
    exact = kinds.exact(where, place.node, table.source.segment(place.node))
    found = list(_same_kind(table, place, where, exact, kinds)) if exact is not None else []
    found += list(_operands(place, imported, kinds, table, exact)) if not found else []
    seen: set[str] = set()
    for operand in found:
        text = operand_text(table, place, operand)
        if text not in seen:
            seen.add(text)
            yield text
    if _computes_index(place.node, imported) and _kind(exact) in (None, "integer"):
        if not isinstance(place.parent, ast.BinOp):  # There, to be 0 is to leave it out, or all is 0.
            yield "0"


def _callee(node: ast.expr) -> str:
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def _another(table: Statements, place: Place, kinds: ObservedTypes, substitutes: Substitutes) -> list[str]:
    """A variable that is there already and has the class and IR type of what a call gives."""
    entry = place.statement
    exact = kinds.exact(around(table, entry), place.node, table.source.segment(place.node))
    name = substitutes.variable_of_kind(exact, entry) if exact is not None and "|" in exact else None
    return [] if name is None else [name]


def _same_kind(
    table: Statements, place: Place, where: str, exact: str, kinds: ObservedTypes
) -> Iterator[ast.expr]:
    """The largest part of the expression that had its class and IR type."""
    parts = [
        node
        for node in parts_of(place.node)
        if not isinstance(node, ast.Constant)
        and kinds.exact(where, node, table.source.segment(node)) == exact
    ]
    yield from parts[:1]


def _kind(exact: str | None) -> str | None:
    """The class alone, integers all alike."""
    if exact is None:
        return None
    name = exact.partition("|")[0]
    return "integer" if INTEGER.fullmatch(name) else name


def _operands(
    place: Place, imported: frozenset[str], kinds: ObservedTypes, table: Statements, exact: str | None
) -> Iterator[ast.expr]:
    """Direct operands whose class is the expression's, as far as classes are known."""
    where = around(table, place.statement)
    for operand in _every_operand(place, imported):
        if isinstance(operand, ast.Constant):
            if SCALAR.fullmatch(exact or ""):
                yield operand
            continue
        if "|" in (exact or "") and isinstance(operand, (*SCOPES, ast.List, ast.Tuple, ast.Dict)):
            continue  # A list is no value of the DSL.
        kind = _kind(kinds.exact(where, operand, table.source.segment(operand)))
        if kind is None or exact is None or kind == _kind(exact):
            yield operand


def _every_operand(place: Place, imported: frozenset[str]) -> Iterator[ast.expr]:
    node = place.node
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.BoolOp):
        yield from node.values
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        copied = _copied(node)
        if copied is not None:
            yield copied
    elif isinstance(node, ast.Call) and not _launches(node):
        if isinstance(node.func, ast.Attribute) and root_name(node.func) not in imported:
            yield node.func.value
        yield from (argument for argument in node.args if _is_value(argument, imported))


def _copied(node: ast.ListComp | ast.GeneratorExp) -> ast.expr | None:
    """`a` of `[a[i] for i in range(n)]` and of `[i for i in a]`."""
    element, generators = node.elt, node.generators
    if len(generators) == 1 and not generators[0].ifs and isinstance(element, ast.Name):
        if ast.unparse(generators[0].target) == element.id:
            return generators[0].iter
    if len(node.generators) != 1 or not isinstance(element, ast.Subscript):
        return None
    same = isinstance(element.slice, ast.Name) and ast.unparse(node.generators[0].target) == element.slice.id
    return element.value if same and isinstance(element.value, (ast.Name, ast.Attribute)) else None


def _launches(call: ast.Call) -> bool:
    """`kernel(…).launch(…)`: without it there is no kernel."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "launch"


def _is_value(node: ast.expr, imported: frozenset[str]) -> bool:
    """False for displays and names of modules, as `fx.Float32` where a type is meant."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Starred, ast.Lambda)):
        return False
    if isinstance(node, (ast.Attribute, ast.Name)):
        return root_name(node) not in imported
    return True


def _computes_index(node: ast.expr, imported: frozenset[str]) -> bool:
    """Arithmetic, or an id of the DSL (`fx.thread_idx.x`): most are offsets, and 0 is one too."""
    if isinstance(node, ast.BinOp):
        return True
    return isinstance(node, ast.Attribute) and node.attr in ("x", "y", "z") and root_name(node) in imported


PASS = Pass(
    "expressions",
    "expressions by an operand, computed indices by 0",
    hints,
    chance=RARELY,
    phase=PassPhase.FINE,
)
