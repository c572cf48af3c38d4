from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.judge.question import Question, Reply
from flybisect.observation import Observation, Want
from flybisect.reduce.dynamic_facts import learn
from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.reduce.passes import PASSES, functions, statements
from flybisect.reduce.reducer import Reducer, Reduction
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.source.check import problem, syntax_problem, unbound_names
from flybisect.source.cut import Cut, carry_out, close
from flybisect.source.edit import Conflict
from flybisect.source.measure import size_of
from flybisect.source.scopes import Statements
from flybisect.source.source import Source, count_statements
from flybisect.source.substitute import Substitutes
from tests.reduce.judging import Needle, Wanted
from tests.source.profile import examples
from tests.source.programs import scripts
from tests.source.running import Run, run


def reached(done: Run) -> bool:
    """The needle was called, whatever came of the script afterwards, as with an abort of the compiler."""
    return bool(done.needles)


def same_value(text: str) -> Wanted:
    """The needle was called with what the unreduced script calls it with, and the script ended well."""
    value = run(text).needles[0]
    return lambda done: done.ended_well and value in done.needles


def odd_sum(text: str) -> Wanted:
    """A property that many values have and single edits destroy."""
    parity = run(text).needles[0] % 2
    return lambda done: len(done.needles) == 1 and done.needles[0] % 2 == parity


GOALS = {"reached": lambda text: reached, "same value": same_value, "parity": odd_sum}
goals = st.sampled_from(sorted(GOALS))
needles = scripts(needle=True)


def reduced(text: str, goal: str, located: bool = False) -> tuple[Reduction, Needle]:
    judge = Needle(GOALS[goal](text), located)
    return Reducer(judge, PASSES).run(text, judge.failing_line(text)), judge


@given(needles, goals, st.booleans())
@examples(20)
def test_the_result_is_what_it_is_said_to_be(text: str, goal: str, located: bool) -> None:
    result, judge = reduced(text, goal, located=located)
    assert result.minimal
    assert judge.interesting(result.text)
    assert size_of(result.text) <= size_of(text)
    assert problem(result.text, unbound_names(text)) is None
    assert all(syntax_problem(asked) is None for asked in judge.asked)
    assert count_statements(result.text) <= 6 + 3 * (goal != "reached")
    for label, candidate in simplifications(result.text, text, judge):
        assert not judge.interesting(candidate), label


def simplifications(text: str, original: str, judge: Needle) -> Iterator[tuple[str, str]]:
    """What every single hint of every pass but the shortcuts makes of a script, where that is smaller."""
    table, size = Statements(Source(text)), size_of(text)
    facts = learned(text, original, judge)
    for each in (each for each in PASSES if not each.shortcut):
        for hint in each.hints(table, facts):
            try:
                candidate = carry_out(table, close(table, hint.cut, Substitutes(table, facts.kinds)))
            except Conflict:
                continue
            if syntax_problem(candidate) is None and size_of(candidate) < size:
                yield f"{each.name}: {hint.label}", candidate


def learned(text: str, original: str, judge: Needle) -> DynamicFacts:
    """What the reducer knows when it is at `text`."""
    facts = judge.answer(learn(original, judge.failing_line(original)))
    return replace(facts, lines=None, failing_line=judge.failing_line(text), original=original)


@given(needles, goals)
@examples(10)
def test_the_same_input_gives_the_same_output(text: str, goal: str) -> None:
    assert reduced(text, goal)[0] == reduced(text, goal)[0]


@given(needles, goals)
@examples(10)
def test_every_step_is_interesting_and_no_larger_than_the_one_before(text: str, goal: str) -> None:
    judge, steps = Needle(GOALS[goal](text)), list[ReductionStep]()
    reducer = Reducer(judge, PASSES, steps.append)
    result = reducer.run(text)
    assert all(judge.interesting(step.text) for step in steps if not step.tried)
    best = [step.text for step in steps if not step.tried and step.activity != "polish"]
    assert all(size_of(after) < size_of(before) for before, after in zip([text, *best], best, strict=False))
    assert reducer.best == next((step.text for step in reversed(steps) if not step.tried), text)
    assert count_statements(result.text) == count_statements(reducer.best)


@given(needles, goals)
@examples(10)
def test_misplaced_trust_costs_questions_and_nothing_else(text: str, goal: str) -> None:
    """Trusted candidates pass when the needle is reached at all; the result holds in full."""
    steps = list[ReductionStep]()
    judge = Needle(GOALS[goal](text), rough=reached)
    result = Reducer(judge, PASSES, steps.append).run(text)
    assert result.minimal and judge.interesting(result.text)
    assert all(judge.interesting(step.text) for step in steps if step.confirmed)
    for label, candidate in simplifications(result.text, text, judge):
        assert not judge.interesting(candidate), label


@given(needles, goals)
@examples(5)
def test_misplaced_trust_is_predicted_as_well(text: str, goal: str) -> None:
    """A copy that begins where several successes are judged at once has these successes too."""

    class Ahead(Needle):
        def ask(self, question: Question, ahead: Iterable[Question] = ()) -> Reply:
            drawn.extend(islice(ahead, 4))
            return super().ask(question)

    drawn = list[Question]()
    alone = Needle(GOALS[goal](text), rough=reached)
    judge = Ahead(GOALS[goal](text), rough=reached)
    assert Reducer(judge, PASSES).run(text) == Reducer(alone, PASSES).run(text)
    assert judge.asked == alone.asked


def test_no_trust_where_nothing_tells_the_case_from_its_base() -> None:
    class Alike(Needle):
        def observe(self, source: str, wants: frozenset[Want] = frozenset()) -> Sequence[Observation]:
            seen = super().observe(source, wants)[0]
            return [seen, seen]

    def refuse(ran: Run) -> bool:
        raise AssertionError("a candidate was trusted")

    judge = Alike(reached, rough=refuse)
    assert Reducer(judge, PASSES).run(SCRIPT).text == RESULT


@given(needles)
@examples(10)
def test_reducing_a_result_changes_nothing(text: str) -> None:
    first = reduced(text, "reached")[0].text
    assert reduced(first, "reached")[0].text == first


def test_a_result_as_a_person_would_write_it() -> None:
    result, _ = reduced(SCRIPT, "reached")
    assert result.text == RESULT


def test_what_is_moved_is_not_taken_for_cut() -> None:
    """The function's statement cannot go, and still the function can be written out."""
    text = "import toy\n\n\ndef f():\n    toy.needle(0)\n\n\nf()\n"
    result = Reducer(Needle(reached), (statements.PASS, functions.PASS)).run(text)
    assert result == Reduction("import toy\n\n\ntoy.needle(0)\n", minimal=True)


def test_nothing_to_reduce() -> None:
    text = "import toy\n\ntoy.needle(0)\n"
    result, judge = reduced(text, "reached")
    assert result == Reduction(text, minimal=True)
    assert len(judge.asked) <= 6


def test_without_passes_the_script_is_the_result() -> None:
    judge = Needle(reached)
    assert Reducer(judge, ()).run(SCRIPT).text.strip() == SCRIPT.strip()
    assert judge.asked == []


@pytest.mark.parametrize("dropped", [each.name for each in PASSES])
def test_each_pass_may_be_left_out(dropped: str) -> None:
    judge = Needle(reached)
    result = Reducer(judge, [each for each in PASSES if each.name != dropped]).run(SCRIPT)
    assert result.minimal and judge.interesting(result.text)


SCRIPT = '''\
"""A kernel with a needle in it."""
import argparse

import toy
from toy import range_constexpr, mix as blend

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=64)
SIZE = 64


def helper(a, b=2):
    # Mixes.
    return blend(a, b)


@toy.kernel(size=[SIZE, 1])
def compute(A, B):
    row = toy.thread_idx.x * SIZE
    for k in range_constexpr(4):
        if k > 2:
            row += helper(row, b=k)
            with toy.region() as r:
                toy.needle(row + r)
        else:
            row -= 1
    toy.note(row)


@toy.jit
def launch(A, B, stream=None):
    compute(A, B).launch(grid=(1, 1, 1), block=(SIZE, 1, 1))


if __name__ == "__main__":
    args = parser.parse_args([])
    launch(args.size, 2)
'''
RESULT = """\
import toy


@toy.kernel
def compute():
    toy.needle(0)


@toy.jit
def launch():
    compute().launch()


launch()
"""


def test_likely_hints_are_tried_at_once_and_unlikely_ones_alone() -> None:
    def simple(table: Statements, facts: DynamicFacts) -> list[Hint]:
        return [
            Hint(table.source.segment(entry.node), Cut(frozenset([entry.number])), likely=entry.number > 2)
            for entry in table.all
            if isinstance(entry.node, ast.Assign)
        ]

    judge = Needle(reached)
    text = "import toy\na = 1\nb = 2\nc = 3\nd = 4\ntoy.needle(1)\n"
    Reducer(judge, [Pass("simple", "assignments", simple, chance=0.35)]).run(text)
    without = ["c = 3\nd = 4\n", "a = 1\n", "b = 2\n"]
    for at, asked in enumerate(judge.asked[:3]):
        text = text.replace(without[at], "")
        assert asked == text


@pytest.mark.parametrize("located", [False, True])
def test_the_last_reader_goes_without_what_it_reads(located: bool) -> None:
    text = "import toy\nfor i in range(2):\n    a = 1\n    a = a + toy.needle(3)\nprint(a)\n"
    judge = Needle(reached, located=located)
    result = Reducer(judge, [statements.PASS]).run(text, judge.failing_line(text))
    assert "print" not in result.text
    assert result.minimal
