from __future__ import annotations

import ast
import io
import tokenize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.source.check import problem, unbound_names
from flybisect.source.cut import (
    Cut,
    carry_out,
    close,
    cut_edits,
)
from flybisect.source.edit import merged
from flybisect.source.scopes import Statements, blocks
from flybisect.source.source import Source
from tests.source.profile import examples
from tests.source.programs import scripts


@st.composite
def cuts(draw: st.DrawFn) -> tuple[Statements, Cut]:
    """A script's statements, and a closed cut of some."""
    table = Statements(Source(draw(scripts())))
    numbers = draw(st.sets(st.integers(0, len(table.all) - 1), min_size=1, max_size=draw(st.integers(1, 8))))
    return table, close(table, Cut(statements=frozenset(numbers)))


@given(cuts())
@examples(80)
def test_random_cuts(case: tuple[Statements, Cut]) -> None:
    table, cut = case
    text = carry_out(table, cut)
    assert problem(text, unbound_names(table.source.text)) is None
    if not cut.elements:
        assert ast.dump(ast.parse(text)) == ast.dump(tree_without(table, cut))
    what_stays_keeps_every_byte(table, cut, text)
    comments_of_what_stays_stay(table, cut)
    assert close(table, cut) == cut


def tree_without(table: Statements, cut: Cut) -> ast.Module:
    """What cutting means, done on the tree: `pass` where a block must not be empty."""
    tree = ast.parse(table.source.text)
    going = [s for s, n in zip(_statements(tree), table.all, strict=True) if n.number in cut.statements]
    parts: list[tuple[ast.AST, str, list[ast.stmt]]] = [(tree, "body", tree.body)]
    parts += [(node, name, body) for node in _statements(tree) for name, body in blocks(node)]
    for node, name, body in parts:
        if not body or not any(part in going for part in body):
            continue
        left = [part for part in body if part not in going]
        optional = name == "orelse" or (name == "finalbody" and bool(getattr(node, "handlers", [])))
        body[:] = left or ([] if optional or isinstance(node, ast.Module) else [ast.Pass()])
    return tree


def _statements(tree: ast.Module) -> list[ast.stmt]:
    """In the order of the table."""
    found: list[ast.stmt] = []

    def walk(body: list[ast.stmt]) -> None:
        for node in body:
            found.append(node)
            for _, part in blocks(node):
                walk(part)

    walk(tree.body)
    return found


def what_stays_keeps_every_byte(table: Statements, cut: Cut, result: str) -> None:
    edits = merged(cut_edits(table, cut))
    assert {edit.text for edit in edits} <= {"", "pass"}
    elements = {id(element.owner) for element in cut.elements}
    at = 0
    for entry in table.all:
        if any(number in cut.statements for number in table.subtree(entry.number)):
            continue
        if elements & {id(node) for node in ast.walk(entry.node)}:
            continue
        assert not any(e.start < entry.end and e.end > entry.start for e in edits)
        segment = table.source.text[entry.start : entry.end]
        # In the same order; a part of a statement that was found lies inside it.
        found = result.find(segment, at)
        assert found >= 0, segment
        at = found


def comments_of_what_stays_stay(table: Statements, cut: Cut) -> None:
    source = table.source
    kept = [
        entry
        for entry in table.all
        if not entry.parts and entry.number not in cut.statements and not cut.elements
    ]
    edits = merged(cut_edits(table, cut))
    for start, end in comments(source):
        line = source.line_of(start)
        last = max((s for s in table.all if source.line_of(s.start) <= line and s.start <= start),
                   key=lambda s: s.start)  # fmt: skip
        if last in kept and source.line_of(last.end - 1) >= line:
            assert not any(e.start < end and e.end > start for e in edits), source.text[start:end]


def comments(source: Source) -> list[tuple[int, int]]:
    tokens = tokenize.generate_tokens(io.StringIO(source.text).readline)
    return [
        (source.line_starts[t.start[0] - 1] + t.start[1], source.line_starts[t.start[0] - 1] + t.end[1])
        for t in tokens
        if t.type == tokenize.COMMENT
    ]


@given(scripts(), st.data())
@examples(60)
def test_nothing_that_nobody_needs_goes_along(text: str, data: st.DataObject) -> None:
    table = Statements(Source(text))
    entry = data.draw(st.sampled_from(table.all))
    read = any(table.users.get(table.owner(name, scope)) for name, scope in entry.binds)
    siblings = [s for s in table.all if s.parent == entry.parent]
    if not read and not entry.parts and len(siblings) > 1:
        closed = close(table, Cut(statements=frozenset([entry.number])))
        alone = [s for s in siblings if s.block == entry.block] == [entry]
        assert closed.statements == {entry.number} or alone


def removed(text: str, *words: str) -> str:
    """Without the statements that begin with these words."""
    table = Statements(Source(text))
    numbers = frozenset(e.number for e in table.all if text[e.start : e.end].startswith(words))
    assert numbers
    return carry_out(table, close(table, Cut(statements=numbers)))


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        ("a = 1\nb = 2\n", ("a",), "b = 2\n"),
        ("a = 1\nb = a\nc = 3\n", ("a",), "c = 3\n"),
        ("a = 1\n", ("a",), ""),
        ("a = 1; b = 2\n", ("a",), "b = 2\n"),
        ("a = 1; b = 2\n", ("b",), "a = 1\n"),
        ("a = 1; b = 2; c = 3\n", ("b",), "a = 1; c = 3\n"),
        ("a = 1;\nb = 2\n", ("b",), "a = 1;\n"),
        ("if 1: a = 1\nb = 2\n", ("a",), "b = 2\n"),
        ("if 1: a = 1; c = 2\nb = 2\n", ("a",), "if 1: c = 2\nb = 2\n"),
        ("def f(): return 1\nf\n", ("return",), "def f(): pass\nf\n"),
        ("def f(): return 1\nf()\nx = f()\ny = x\nz\n", ("return",), "def f(): pass\nf()\nz\n"),
        ("def f():\n    if a: return 1\n    return 2\nx = f()\n", ("return 2",),
         "def f():\n    if a: return 1\nx = f()\n"),
        ("@d\ndef f(): return 1\nx = f()\n", ("return",), "@d\ndef f(): pass\nx = f()\n"),
        ("if 1:\n    a = 1\nelse:\n    b = 2\n", ("a",), "if 1:\n    pass\nelse:\n    b = 2\n"),
        ("if 1:\n    a = 1\nelse:\n    b = 2\n", ("b",), "if 1:\n    a = 1\n"),
        ("if 1:\n    a\nelif 2:\n    b\nelse:\n    c\n", ("if 2", "elif"), "if 1:\n    a\n"),
        ("for i in x:\n    a = i\n", ("for",), ""),
        ("def f(): pass\n@f\n\n@f\ndef g(): pass\nz\n", ("@f",), "def f(): pass\nz\n"),
        ("def g(a): pass\nx = 1\ng(a=x)\n", ("x",), "def g(a): pass\ng()\n"),
        ("def g(*a): pass\nx = 1\ng(x)\ny\n", ("x",), "def g(*a): pass\ny\n"),
        ("try:\n    a\nfinally:\n    b\n", ("b",), "try:\n    a\nfinally:\n    pass\n"),
        ("try:\n    a\nexcept E:\n    b\nfinally:\n    c\n", ("c",), "try:\n    a\nexcept E:\n    b\n"),
        ("try:\n    a\nexcept E:\n    b\n", ("b",), "try:\n    a\nexcept E:\n    pass\n"),
        ("while 1:\n\ta\n\tb\n", ("a",), "while 1:\n\tb\n"),
        ("a\r\nb\r\nc\r\n", ("b",), "a\r\nc\r\n"),
        ("ä = 'ö'; ü = 2\nz\n", ("ü",), "ä = 'ö'\nz\n"),
        ("x = 1  # of x\ny = 2  # of y\n", ("x",), "y = 2  # of y\n"),
        ("# of both\nx = 1\ny = 2\n", ("x",), "# of both\ny = 2\n"),
        ("a\n\n# of x\nx = 1\n\n# of y\ny = 2\n", ("x",), "a\n\n# of y\ny = 2\n"),
        ("from m import *\na = 1\nb = z\n", ("from",), "a = 1\n"),
        ("a = 1\n\n\nx = 1\n\n\ny = 2\n", ("x",), "a = 1\n\n\ny = 2\n"),
        ('s = """\n  x\n"""\nt = 1\n', ("t",), 's = """\n  x\n"""\n'),
        ('t = 1\ns = """\n  x\n"""\n', ("s",), "t = 1\n"),
        ("a = 1\nb = \\\n    2\n", ("b",), "a = 1\n"),
        ("a = 1; \\\nb = 2\n", ("a",), "b = 2\n"),
        ("a = 1;\nc\n", ("a",), "c\n"),
        ("a = 1; b = 2;\nc\n", ("a", "b"), "c\n"),
    ],
)  # fmt: skip
def test_examples(before: str, words: tuple[str, ...], after: str) -> None:
    assert removed(before, *words) == after
