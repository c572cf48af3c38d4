"""Expressions inside statements: parents, contexts, and text that may stand in their place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from flybisect.source.scopes import Statement, Statements

ATOMS = (
    ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Dict, ast.Set,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.JoinedStr,
)  # fmt: skip
"""Expressions that bind tighter than any operator around them."""

SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Place:
    """An expression that is read somewhere in a statement."""

    node: ast.expr
    parent: ast.AST
    statement: Statement


def places(table: Statements, entry: Statement) -> Iterator[Place]:
    """The statement's own expressions in value position, outermost first.

    Left out: assignment targets, what is inside f-strings, decorators, annotations.
    """
    node = entry.node
    queue: list[tuple[ast.AST, ast.AST]] = [(child, node) for child in _value_children(node)]
    while queue:
        child, parent = queue.pop(0)
        if isinstance(child, ast.expr) and not isinstance(child, (ast.Slice, ast.Starred)):
            if isinstance(getattr(child, "ctx", ast.Load()), ast.Load):
                yield Place(child, parent, entry)
        if isinstance(child, ast.JoinedStr):
            continue
        queue += [(grandchild, child) for grandchild in _value_children(child)]


def _value_children(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from node.args.defaults
        yield from (default for default in node.args.kw_defaults if default is not None)
        return
    if isinstance(node, ast.ClassDef):
        return
    if isinstance(node, ast.AnnAssign):
        if node.value is not None:
            yield node.value
        return
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.stmt, ast.expr_context, ast.operator, ast.cmpop, ast.boolop)):
            yield child


def substitute(table: Statements, place: Place, text: str, atom: bool) -> str:
    """The text in the brackets that its place calls for. `atom` says that it needs none anywhere."""
    if atom or isinstance(place.parent, (ast.stmt, ast.keyword)):
        return text
    if isinstance(place.parent, ast.Call) and place.node is not place.parent.func:
        return text
    return f"({text})"


def parts_of(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions inside one that mean the same outside of it, outermost first.

    What is inside a lambda or a comprehension may read names that are bound there alone.
    """
    queue: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, SCOPES):
        return
    while queue:
        part = queue.pop(0)
        if isinstance(part, ast.expr):
            yield part
        if not isinstance(part, SCOPES):
            queue += ast.iter_child_nodes(part)


def operand_text(table: Statements, place: Place, operand: ast.expr) -> str:
    """Text of one of the expression's own operands, to stand in its place."""
    text = table.source.segment(operand)
    if isinstance(operand, ast.Tuple):
        text = bracketed(text)
    if not stands_alone(text):
        return f"({text})"
    return substitute(table, place, text, isinstance(operand, ATOMS))


def bracketed(text: str) -> str:
    """An expression's text with brackets around all of it, its own where it has them."""
    return text if text.startswith("(") and text.endswith(")") and stands_alone(text[1:-1]) else f"({text})"


def stands_alone(text: str) -> bool:
    """False for an expression whose line breaks need brackets around it, as strings in a row do."""
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def modules(table: Statements) -> frozenset[str]:
    """Names that import statements bind."""
    return frozenset(
        alias.asname or alias.name.split(".")[0]
        for entry in table.all
        if isinstance(entry.node, (ast.Import, ast.ImportFrom))
        for alias in entry.node.names
    )


def name_of_module(table: Statements, module: str) -> str | None:
    """The name that a module has at the top of the script; None where it is not imported there."""
    for entry in table.all:
        if entry.scope is not table.module or entry.parent is not None:
            continue
        if isinstance(entry.node, ast.Import):
            for alias in entry.node.names:
                if alias.name == module and (alias.asname or "." not in module):
                    return alias.asname or module
        if isinstance(entry.node, ast.ImportFrom) and entry.node.module and not entry.node.level:
            for alias in entry.node.names:
                if f"{entry.node.module}.{alias.name}" == module:
                    return alias.asname or alias.name
    return None


def root_name(node: ast.expr) -> str | None:
    """`fx` of `fx.rocdl.MFMA`; None where no plain name stands at the left end."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
