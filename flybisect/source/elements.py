"""Lists with commas in them: the arguments of a call, parameters, the names of an import.

Both sides of a parallel assignment (`a, b = x, y`) are such lists as well; a pair leaves both, and
what is left of `a, b = x, y` is `a = x`, without the comma of a tuple.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from flybisect.source.edit import Edit
from flybisect.source.source import Source


@dataclass(frozen=True)
class Element:
    """One member of a comma list, and the node that owns the list."""

    owner: ast.AST
    node: ast.AST


def pair(node: ast.Assign, at: int) -> tuple[Element, Element]:
    """The target and the value at one position of a parallel assignment (see `pairs`)."""
    targets, values = node.targets[0], node.value
    assert isinstance(targets, ast.Tuple) and isinstance(values, ast.Tuple)
    return Element(targets, targets.elts[at]), Element(values, values.elts[at])


def pairs(node: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    """Targets and values of `a, b = x, y`; empty for every other statement."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return []
    targets, values = node.targets[0], node.value
    if not (isinstance(targets, ast.Tuple) and isinstance(values, ast.Tuple)):
        return []
    if len(targets.elts) != len(values.elts):
        return []
    if any(isinstance(each, ast.Starred) for each in [*targets.elts, *values.elts]):
        return []
    return list(zip(targets.elts, values.elts, strict=True))


def members(owner: ast.AST) -> list[ast.AST]:
    """The members of the owner's list, in text order."""
    if isinstance(owner, ast.Call):
        found: list[ast.AST] = [*owner.args, *owner.keywords]
    elif isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef)):
        found = [*owner.args.posonlyargs, *owner.args.args, *owner.args.kwonlyargs]
    elif isinstance(owner, (ast.Tuple, ast.List, ast.Set)):
        found = list(owner.elts)
    elif isinstance(owner, (ast.Import, ast.ImportFrom)):
        found = list(owner.names)
    elif isinstance(owner, (ast.With, ast.AsyncWith)):
        found = list(owner.items)
    else:
        raise TypeError(f"{type(owner).__name__} has no list of members")
    return sorted(found, key=lambda n: _position(owner, n))


def _position(owner: ast.AST, node: ast.AST) -> tuple[int, int]:
    if isinstance(node, ast.withitem):
        node = node.context_expr
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def span(source: Source, owner: ast.AST, node: ast.AST) -> tuple[int, int]:
    """Of a member with what belongs to it: a parameter's default, brackets around an argument."""
    if isinstance(node, ast.withitem):
        start = source.span(node.context_expr)[0]
        return start, source.span(node.optional_vars or node.context_expr)[1]
    start, end = source.span(node)
    if isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef)):
        default = default_of(owner.args, node)
        if default is not None:
            end = _with_brackets(source, *source.span(default))[1]
    if isinstance(node, ast.GeneratorExp) and end == source.span(owner)[1]:
        return start + 1, end - 1  # `f(i for i in x)`: the brackets are the call's as well.
    return _with_brackets(source, start, end)


def _with_brackets(source: Source, start: int, end: int) -> tuple[int, int]:
    """Widens over `(` … `)` that stand directly around, as in `f((a), b)`; never over the list's own."""
    tokens = source.tokens
    first, behind = source.token_at(start), source.token_at(end)
    while first >= 2 and behind < len(tokens):
        lead, before, after = tokens[first - 2].text, tokens[first - 1], tokens[behind]
        if before.text != "(" or after.text != ")" or lead not in ("(", ",", "=", "[", "{"):
            break
        if lead in ("(", "[", "{") and tokens[behind + 1].text not in (",", ")", "]", "}"):
            break  # `f((a))`: the inner pair is the argument's, the outer the call's.
        start, end, first, behind = before.start, after.end, first - 1, behind + 1
    return start, end


def default_of(arguments: ast.arguments, parameter: ast.AST) -> ast.expr | None:
    """A parameter's default, or None."""
    positional = [*arguments.posonlyargs, *arguments.args]
    for argument, default in zip(reversed(positional), reversed(arguments.defaults), strict=False):
        if argument is parameter:
            return default
    for argument, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if argument is parameter:
            return keyword_default
    return None


def removal_edits(source: Source, elements: Iterable[Element]) -> list[Edit]:
    """Edits that take the elements out of their lists, with the commas that go with them."""
    going: dict[int, list[ast.AST]] = defaultdict(list)
    owners: dict[int, ast.AST] = {}
    for element in elements:
        going[id(element.owner)].append(element.node)
        owners[id(element.owner)] = element.owner
    edits: list[Edit] = []
    for number, nodes in going.items():
        edits += _list_edits(source, owners[number], nodes)
    return edits


def _list_edits(source: Source, owner: ast.AST, going: list[ast.AST]) -> list[Edit]:
    everything = members(owner)
    spans = [span(source, owner, node) for node in everything]
    removed = [any(node is g for g in going) for node in everything]
    kept = [at for at, gone in enumerate(removed) if not gone]
    if not kept:
        return [Edit(spans[0][0], _behind_comma(source, spans[-1][1]))]
    edits: list[Edit] = []
    last_kept: int | None = None
    at = 0
    while at < len(everything):
        if not removed[at]:
            last_kept, at = at, at + 1
            continue
        run_end = at
        while run_end + 1 < len(everything) and removed[run_end + 1]:
            run_end += 1
        lines = _whole_lines(source, owner, spans[at][0], spans[run_end][1])
        if lines is not None:
            edits.append(lines)
        elif last_kept is None:
            edits.append(Edit(spans[at][0], spans[run_end + 1][0]))
        else:
            edits.append(Edit(spans[last_kept][1], spans[run_end][1]))
        at = run_end + 1
    return edits


def _behind_comma(source: Source, end: int) -> int:
    """Where the comma behind a member ends; the member's own end where there is none."""
    following = source.token_at(end)
    comma = following < len(source.tokens) and source.tokens[following].text == ","
    return source.tokens[following].end if comma else end


def _whole_lines(source: Source, owner: ast.AST, start: int, end: int) -> Edit | None:
    """The lines of members that share them with nothing but a comment, as black lays lists out.

    Comments of the members around them stay that way. Not in tuples, where the comma left before a
    closing bracket would count.
    """
    if not isinstance(owner, (ast.Call, ast.FunctionDef, ast.AsyncFunctionDef, ast.ImportFrom, ast.List)):
        return None
    begin, behind = source.line_begin(start), _behind_comma(source, end)
    stop = source.line_end(behind - 1)
    rest = source.text[behind:stop].strip()
    if source.text[begin:start].strip() or (rest and not rest.startswith("#")):
        return None
    return Edit(begin, stop)
