"""Every hint of every pass, made alone, gives a program without unbound names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.reduce.facts import learn
from flybisect.reduce.hint import Facts, Hint, Pass
from flybisect.reduce.passes import PASSES
from flybisect.script.check import problem, unbound_names
from flybisect.script.cut import Cut, carry_out, close
from flybisect.script.edit import Conflict
from flybisect.script.instrument import Kinds, around
from flybisect.script.scopes import Statements
from flybisect.script.source import Source
from flybisect.script.substitute import Substitutes
from tests.reduce.judging import Needle
from tests.script.profile import examples
from tests.script.programs import scripts

EACH = {each.name: each for each in PASSES}
SEEDS = sorted((Path(__file__).parents[2] / "seeds").glob("*/*.py"))
SAMPLE = 5
"""Hints that are tried of one pass on one script, evenly spread."""


def sample(hints: Sequence[Hint]) -> Sequence[Hint]:
    return hints[:: -(-len(hints) // SAMPLE) or 1]


def check(table: Statements, facts: Facts, each: Pass, hint: Hint, allowed: frozenset[str]) -> None:
    text = table.source.text
    candidate = carry_out(table, close(table, hint.cut, Substitutes(table, facts.kinds)))
    said = problem(candidate, allowed)
    assert said is None, f"{each.name}: {hint.label}: {said}"
    assert candidate != text or each.name == "comments"


@given(scripts(needle=True), st.booleans())
@examples(12)
def test_on_generated_scripts(text: str, located: bool) -> None:
    judge = Needle(lambda done: bool(done.needles), located=located)
    facts = judge.answer(learn(text, judge.failing_line(text)))
    assert facts.lines and facts.kinds.kinds
    facts = replace(facts, original=text)
    table = Statements(Source(text))
    allowed = unbound_names(text)
    for each in EACH.values():
        for hint in sample(each.hints(table, facts)):
            check(table, facts, each, hint, allowed)


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_on_seeds(path: Path, name: str) -> None:
    text = path.read_text(encoding="utf-8")
    table = Statements(Source(text))
    half = frozenset(range(1, text.count("\n") + 1, 2))
    facts = Facts(half, text.count("\n") // 2, True, _kinds(table))
    allowed = unbound_names(text)
    for hint in sample(EACH[name].hints(table, facts)):
        check(table, facts, EACH[name], hint, allowed)


def _kinds(table: Statements) -> Kinds:
    """All variables of one kind, so that anything may stand for anything."""
    kinds = {
        (around(table, entry), use.name): "Vector|vector<4xf32>" for entry in table.all for use in entry.uses
    }
    return Kinds(kinds, {}, {"slice": "Vector|vector<4xf32>"})


@given(scripts(), st.data())
@examples(25)
def test_any_hints_together(text: str, data: st.DataObject) -> None:
    """They give a program, or one of the errors that the reducer takes for an answer."""
    table = Statements(Source(text))
    each = EACH[data.draw(st.sampled_from(sorted(EACH)))]
    hints = [h for h in each.hints(table, Facts()) if h.rank == 0]
    chosen = [hint for hint in hints if data.draw(st.booleans())]
    cut = Cut()
    for hint in chosen:
        cut |= hint.cut
    try:
        candidate = carry_out(table, close(table, cut))
    except Conflict:
        return
    assert problem(candidate, unbound_names(text)) is None, [hint.label for hint in chosen]


def test_labels_do_not_depend_on_the_place() -> None:
    """A failure is remembered across edits above."""
    text = "import toy\n\ndef f(a, b=2):\n    c = a + b\n    return toy.mix(c, third=4)\n\nf(3)\n"
    for each in EACH.values():
        if each.name not in ("comments", "tidy", "slice", "dead"):
            before = [hint.label for hint in each.hints(Statements(Source(text)), Facts())]
            after = [hint.label for hint in each.hints(Statements(Source("x = 1\n" + text)), Facts())]
            assert set(before) <= set(after), each.name
