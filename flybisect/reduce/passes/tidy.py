"""Lists that earlier cuts left on several lines, joined where they fit on one; brackets around nothing."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence

from flybisect.reduce.hint import DynamicFacts, Hint, Pass, PassPhase
from flybisect.source.cut import Cut, own_nodes
from flybisect.source.edit import Edit, apply
from flybisect.source.scopes import Statement, Statements
from flybisect.source.source import Source
from flybisect.source.wrap import LINE, wrapped


def hints(table: Statements, facts: DynamicFacts) -> Sequence[Hint]:
    """Every statement header that spans lines, has changed, and fits on one line; then all brackets that
    are not needed and that the unreduced script does not have; then the lines that have become long."""
    found: list[Hint] = []
    lines = [edit for entry in table.all for edit in _joined(table, entry, facts.original)]
    long = [edit for entry in table.all for edit in _wrapped(table, entry, facts.original)]
    for rank, edits in enumerate((lines, _brackets(table, facts.original), long)):
        if edits:
            found.append(Hint(f"tidy {rank} {len(table.source.text)}", Cut(edits=frozenset(edits)), rank))
    return found


def _wrapped(table: Statements, entry: Statement, original: str) -> Iterator[Edit]:
    """A simple statement, or the header of a loop, with its arguments on a line each."""
    source = table.source
    end = table.all[entry.parts[0]].start if entry.parts else entry.end
    text = source.text[entry.start : end].rstrip()
    alone = not source.text[source.line_begin(entry.start) : entry.start].strip()
    if "\n" not in text and alone and text not in original:
        indent = source.indent(entry.node)
        new = wrapped(text, indent) if len(indent) + len(text) > LINE else None
        if new is not None:
            yield Edit(entry.start, entry.start + len(text), new)


def _brackets(table: Statements, original: str) -> list[Edit]:
    return [
        edit for text, pair in _redundant(table.source) if not _written_so(original, text) for edit in pair
    ]


def _written_so(original: str, text: str) -> bool:
    """True where the unreduced script has a text in brackets that it does not need, either."""
    tree, at = "", original.find(text)
    while at >= 0:
        tree = tree or ast.dump(ast.parse(original))
        behind = at + len(text)
        if _same(original[:at] + text[1:-1] + original[behind:], tree):
            return True
        at = original.find(text, at + 1)
    return False


def _redundant(source: Source) -> Iterator[tuple[str, list[Edit]]]:
    """Pairs of brackets that can go, all of them, without the tree changing, with the text between."""
    tokens, tree = source.tokens, ast.dump(source.tree)
    going: list[Edit] = []
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.expr) or isinstance(node, ast.Tuple):
            continue
        start, end = source.span(node)
        first, behind = source.token_at(start), source.token_at(end)
        while first > 0 and behind < len(tokens):
            before, after = tokens[first - 1], tokens[behind]
            if before.text != "(" or after.text != ")":
                break
            pair = [Edit(before.start, before.end), Edit(after.start, after.end)]
            if not _same(apply(source.text, going + pair), tree):
                break
            going += pair
            yield source.text[before.start : after.end], pair
            first, behind = first - 1, behind + 1


def _same(text: str, tree: str) -> bool:
    try:
        return ast.dump(ast.parse(text)) == tree
    except SyntaxError:
        return False


def _joined(table: Statements, entry: Statement, original: str) -> Iterator[Edit]:
    """The header of a compound statement, or a whole simple one, on one line."""
    source = table.source
    for node in own_nodes(entry.node):
        if not isinstance(node, (ast.Call, ast.FunctionDef)):
            continue
        start, end = source.span(node)
        if isinstance(node, ast.FunctionDef):
            start, end = source.offset(node.lineno, node.col_offset), source.span(node.body[0])[0]
            end = source.text.rindex(":", start, end) if ":" in source.text[start:end] else start
        text = source.text[start:end]
        if "\n" not in text or text in original:
            continue
        joined = one_line(text)
        rest = len(source.text[end : source.line_end(end)].rstrip())
        column = start - source.line_begin(start)
        if joined is not None and column + len(joined) + rest <= LINE:
            yield Edit(start, end, joined)
            return


def one_line(text: str) -> str | None:
    """The text with its line breaks and its last comma gone; None where a comment or string is in the way."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    if any(t.type == tokenize.COMMENT or (t.start[0] != t.end[0] and t.string.strip()) for t in tokens):
        return None
    lines = [line.strip().removesuffix("\\").rstrip() for line in text.split("\n")]
    out = ""
    for line in filter(None, lines):
        if out.endswith(("(", "[", "{")) or line[0] in ")]}":
            out = out.removesuffix(",") if line[0] in ")]}" else out
            out += line
        else:
            out += (" " if out else "") + line
    return out


PASS = Pass(
    "tidy",
    "line breaks in lists that have become short, brackets that are not needed",
    hints,
    phase=PassPhase.COSMETIC,
)
