"""A reduction with foresight is the one without."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import islice
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.judge.judge import Judge
from flybisect.judge.question import Question, Reply
from flybisect.observation import Observation, Outcome, Stage
from flybisect.oracle.plugin import Evidence
from flybisect.reduce.passes import PASSES
from flybisect.reduce.reducer import Reducer
from flybisect.session.session import Session
from flybisect.workflows import reduce
from tests.reduce.judging import Needle, Wanted
from tests.source.profile import examples
from tests.source.programs import scripts
from tests.source.running import run


def parity(text: str) -> Wanted:
    """A property that many values have and single edits destroy."""
    wanted = run(text).needles[0] % 2
    return lambda done: len(done.needles) == 1 and done.needles[0] % 2 == wanted


class Drawing(Needle):
    """Draws now more, now fewer predictions for a question that is new, as trials of other lengths would."""

    def __init__(self, wanted: Wanted, ahead: int, chance: random.Random) -> None:
        super().__init__(wanted)
        self._most = ahead
        self._chance = chance
        self.foreseen = 0
        self.jobs = 1
        self.first: Evidence | None = None
        self._guessed: set[str] = set()

    def ask(self, question: Question, ahead: Iterable[Question] = ()) -> Reply:
        if question.wants is None and question.source not in self._known:
            self.foreseen += question.source in self._guessed
            drawn = islice(ahead, self._chance.randint(0, self._most))
            self._guessed.update(each.source for each in drawn)
        return super().ask(question)


@given(scripts(needle=True), st.integers(1, 4), st.randoms(use_true_random=False))
@examples(10)
def test_it_goes_the_same_way(text: str, ahead: int, chance: random.Random) -> None:
    alone = Needle(parity(text))
    expected = Reducer(alone, PASSES, predict=False).run(text)
    judge = Drawing(parity(text), ahead, chance)
    assert Reducer(judge, PASSES).run(text) == expected
    assert judge.asked == alone.asked


class Kept:
    """A session that forgets."""

    def save_best(self, text: str) -> None:
        return None


@pytest.mark.parametrize(("jobs", "seconds", "pays"), [(1, 9.0, False), (2, 0.1, False), (2, 0.6, True)])
def test_only_where_it_pays(jobs: int, seconds: float, pays: bool) -> None:
    text = "import toy\na = 1\nb = 2\nc = a + b\nprint(a, c)\nprint(b)\nprint(c)\ntoy.needle(c)\n"
    judge = Drawing(parity(text), 4, random.Random(1))
    judge.jobs = jobs
    judge.first = Evidence(Observation(Outcome.OK, Stage.DONE, "gfx942", "0", seconds=seconds))
    reduce.search(cast(Judge, judge), cast(Session, Kept()), text, PASSES, lambda step: None)
    assert bool(judge.foreseen) is pays
