"""A reduction with foresight is the one without."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect import reducing
from flybisect.guess import Guess
from flybisect.judge import Judge
from flybisect.observation import Observation, Outcome, Stage, Verdict
from flybisect.oracle import Evidence
from flybisect.reduce.foresight import Foresight
from flybisect.reduce.passes import PASSES
from flybisect.reduce.reducer import Reducer
from flybisect.session import Session
from tests.reduce.judging import Needle, Wanted
from tests.script.profile import examples
from tests.script.programs import scripts
from tests.script.running import run


def parity(text: str) -> Wanted:
    """A property that many values have and single edits destroy."""
    wanted = run(text).needles[0] % 2
    return lambda done: len(done.needles) == 1 and done.needles[0] % 2 == wanted


class Drawing(Needle):
    """Draws now more, now fewer guesses for a question that is new, as trials of other lengths would."""

    def __init__(self, wanted: Wanted, ahead: int, chance: random.Random) -> None:
        super().__init__(wanted, ahead)
        self._most = ahead
        self._chance = chance
        self.foreseen = 0
        self.jobs = 1
        self.first: Evidence | None = None
        self._guessed: set[str] = set()

    def known(self, source: str) -> bool | None:
        return self._known.get(source)

    def verdicts(
        self,
        sources: Iterable[str],
        trusted: Callable[[str], bool] = lambda source: False,
        guesses: Callable[[str], Iterator[Guess]] | None = None,
    ) -> Iterator[tuple[str, Verdict]]:
        for source in sources:
            if source not in self._known and guesses is not None:
                self.foreseen += source in self._guessed
                drawn = islice(guesses(source), self._chance.randint(0, self._most))
                self._guessed.update(guess.source for guess in drawn)
            self.asked.append(source)
            yield source, self.judge(source)


@given(scripts(needle=True), st.integers(1, 4), st.randoms(use_true_random=False))
@examples(10)
def test_it_goes_the_same_way(text: str, ahead: int, chance: random.Random) -> None:
    alone = Needle(parity(text))
    expected = Reducer(alone, PASSES).run(text)
    judge = Drawing(parity(text), ahead, chance)
    with closing(Foresight(judge)) as foresight:
        found = Reducer(foresight, PASSES).run(text)
    assert found == expected
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
    reducing.search(cast(Judge, judge), cast(Session, Kept()), text, PASSES, lambda step: None)
    assert bool(judge.foreseen) is pays
