"""Long statements over several lines, as formatters write them: one member of a list a line."""

from __future__ import annotations

import ast
import itertools

from flybisect.source.source import Source

LINE = 120
"""Characters of a line: FlyDSL's own limit."""
INDENT = "    "


def wrapped(text: str, indent: str, limit: int = LINE) -> str | None:
    """A simple statement, or the header of a loop or branch, that stands behind `indent`.

    On one line where it fits, else with the arguments of its outermost call (or the elements of its
    list) on a line each. None where that does not fit either.
    """
    if len(indent) + len(text) <= limit:
        return text
    source = _parsed(text)
    if source is None or "\n" in text:
        return None
    node = _outermost(source.tree.body[0])
    if isinstance(node, ast.Call):
        members = [*node.args, *node.keywords]
        start = source.span(node.func)[1] + 1
    elif isinstance(node, ast.List):
        members = [*node.elts]
        start = source.span(node)[0] + 1
    else:
        return None
    if not members or any(isinstance(each, ast.GeneratorExp) for each in members):
        return None
    end = source.span(node)[1] - 1
    spans = [source.span(each) for each in members]
    # What stands between two members is their comma and perhaps brackets, which stay where they are.
    cuts = [start, *(text.index(",", behind) + 1 for _, behind in spans[:-1]), end]
    if any(text[a:b].count("(") != text[a:b].count(")") for a, b in itertools.pairwise(cuts)):
        return None
    lines = [text[a:b].strip().removesuffix(",") for a, b in itertools.pairwise(cuts)]
    result = "\n".join(
        [text[:start], *(f"{indent}{INDENT}{line}," for line in lines), f"{indent}{text[end:]}"]
    )
    same = _parsed(result)
    if same is None or ast.dump(same.tree) != ast.dump(source.tree):
        return None
    fits = all(len(line) <= limit for line in f"{indent}{result}".split("\n"))
    return result if fits else None


def _parsed(text: str) -> Source | None:
    for body in ("", " pass"):
        try:
            return Source(text + body)
        except SyntaxError:
            continue
    return None


def _outermost(node: ast.stmt) -> ast.expr | None:
    """The expression whose brackets the statement ends with."""
    if isinstance(node, ast.For):
        return node.iter
    value = getattr(node, "value", None)
    return value if isinstance(value, ast.expr) else None
