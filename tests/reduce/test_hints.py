"""Every hint of every pass, made alone, gives a program without unbound names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.reduce.dynamic_facts import learn
from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.reduce.passes import PASSES
from flybisect.source.check import problem, unbound_names
from flybisect.source.cut import Cut, carry_out, close
from flybisect.source.edit import Conflict
from flybisect.source.expressions import places
from flybisect.source.instrument import ObservedTypes, around
from flybisect.source.scopes import Statements
from flybisect.source.source import Source
from flybisect.source.substitute import Substitutes
from tests.reduce.judging import Needle
from tests.source.profile import examples
from tests.source.programs import scripts

EACH = {f"{number:02d}-{each.name}": each for number, each in enumerate(PASSES)}
"""Several passes share a name."""
EVERY = Path(__file__).parent / "scripts" / "every_pass.py"
SCRIPTS = [
    EVERY,
    *(EVERY.with_name(name) for name in ("host.py", "fragment.py")),
    *sorted((Path(__file__).parents[2] / "seeds").glob("*/*.py")),
]
PLACED = ("comments", "tidy", "slice", "dead", "unexecuted", "folds", "known")
"""Passes whose hints say where they are, or need to know what a run showed."""
FROM_RUNS = ("direct", "values")
"""Passes that need what a run of FlyDSL recorded; see `test_passes_from_runs.py`."""
VECTOR, NUMBER = "Vector|vector<4xf32>", "Int32|i32"
"""Kinds of the DSL, as class and IR type."""
SAMPLE = 5
"""Hints that are tried of one pass on one script, evenly spread."""


def sample(hints: Sequence[Hint]) -> Sequence[Hint]:
    return hints[:: -(-len(hints) // SAMPLE) or 1]


def check(table: Statements, facts: DynamicFacts, each: Pass, hint: Hint, allowed: frozenset[str]) -> None:
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


@pytest.mark.parametrize("name", [name for name in EACH if not name.endswith(FROM_RUNS)])
def test_on_scripts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pass has hints on at least one of them."""
    monkeypatch.setattr("sys.argv", [str(EVERY)])
    checked = 0
    for path in SCRIPTS:
        text = path.read_text(encoding="utf-8")
        table = Statements(Source(text))
        allowed = unbound_names(text)
        for facts in _facts(table):
            for hint in sample(EACH[name].hints(table, facts)):
                check(table, facts, EACH[name], hint, allowed)
                checked += 1
    assert checked


def _facts(table: Statements) -> Iterator[DynamicFacts]:
    """What may be known: which lines ran, where it fails, and that anything may stand for anything."""
    lines = table.source.text.count("\n")
    every_other = frozenset(range(1, lines + 1, 2))
    yield DynamicFacts(every_other, lines // 2, True, _kinds(table))
    yield DynamicFacts(kinds=_kinds(table))
    yield DynamicFacts(kinds=_kinds(table, NUMBER))
    if "toy.needle(" in table.source.text:
        judge = Needle(lambda done: bool(done.needles), located=True)
        text = table.source.text
        yield judge.answer(learn(text, judge.failing_line(text)))


def _kinds(table: Statements, kind: str = VECTOR) -> ObservedTypes:
    """All expressions are of one kind of the DSL."""
    kinds = {
        (around(table, entry), text): kind
        for entry in table.all
        for text in [
            *(use.name for use in entry.uses),
            *(table.source.segment(place.node) for place in places(table, entry)),
        ]
    }
    return ObservedTypes(kinds, {}, {"slice": kind})


@given(scripts(), st.data())
@examples(25)
def test_any_hints_together(text: str, data: st.DataObject) -> None:
    """They give a program, or one of the errors that the reducer takes for an answer."""
    table = Statements(Source(text))
    each = EACH[data.draw(st.sampled_from(sorted(EACH)))]
    hints = [h for h in each.hints(table, DynamicFacts()) if h.rank == 0]
    chosen = [hint for hint in hints if data.draw(st.booleans())]
    cut = Cut()
    for hint in chosen:
        cut |= hint.cut
    try:
        candidate = carry_out(table, close(table, cut))
    except Conflict:
        return
    assert problem(candidate, unbound_names(text)) is None, [hint.label for hint in chosen]


@pytest.mark.parametrize("name", [name for name in EACH if not name.endswith(PLACED + FROM_RUNS)])
def test_labels_do_not_depend_on_the_place(name: str) -> None:
    """A failure is remembered across edits above."""
    labels = 0
    for path in SCRIPTS:
        text = path.read_text(encoding="utf-8")
        table, moved = Statements(Source(text)), Statements(Source("x = 1\n" + text))
        facts = [DynamicFacts(kinds=_kinds(table, kind)) for kind in (VECTOR, NUMBER)]
        facts.append(DynamicFacts(None, text.count("\n") // 2, True, _kinds(table)))
        for known in facts:
            line = None if known.failing_line is None else known.failing_line + 1
            before = {hint.label for hint in EACH[name].hints(table, known)}
            after = {hint.label for hint in EACH[name].hints(moved, replace(known, failing_line=line))}
            assert before <= after
            labels += len(before)
    assert labels
