"""What the predictor foresees of a search over sets of letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from flybisect.judge.question import Question, Questions, Reply
from flybisect.observation import Want
from flybisect.reduce.prediction import (
    Begin,
    Predictor,
    Rates,
    Replay,
    Search,
)
from flybisect.reduce.reduction_state import ReductionState

NAMES = Search("names", first_holds=True)
VERIFY = Search("verify names", first_holds=False)
STATEMENTS = Search("statements", first_holds=False)
SEARCHES = (NAMES, VERIFY, STATEMENTS)
Wanted = Callable[[str], bool]


def shrink(begin: Callable[[Search, Replay], None], searches: Iterable[Search], best: str) -> Questions[str]:
    """Each search takes one letter after the other away, as passes do: it starts anew after a success."""
    left = list(searches)
    for number, search in enumerate(left):

        def replay(begun: Begin, rest: list[Search] = left[number:], start: str = best) -> Questions[None]:
            yield from shrink(lambda each, _: begun(each), rest, start)

        begin(search, replay)
        again = True
        while again:
            again = False
            for letter in best:
                if (yield Question(best.replace(letter, ""))).interesting:
                    best, again = best.replace(letter, ""), True
                    break
    return best


class Driven:
    """A search under a test, with so many predictions drawn for each question that is new."""

    def __init__(
        self,
        wanted: Wanted,
        ahead: int,
        searches: Iterable[Search] = SEARCHES,
        start: str = "abcdefgh",
        static: Wanted = lambda source: False,
    ) -> None:
        """`static`: which scripts are known to fail without a trial."""
        self.asked: list[str] = []
        self.guessed: list[str] = []
        self.unforeseen: list[str] = []
        answered: set[str] = set()

        def known(source: str) -> bool | None:
            if static(source):
                return False
            return wanted(source) if source in answered else None

        predictor = Predictor(known)
        steps = shrink(predictor.begin, searches, start)
        reply: Reply | None = None
        while True:
            try:
                question = next(steps) if reply is None else steps.send(reply)
            except StopIteration as ended:
                self.best: str = ended.value
                return
            source, trial = question.source, known(question.source) is None
            if trial and source not in self.guessed:
                self.unforeseen.append(source)
            self.asked.append(source)
            if trial:
                self.guessed += [each.source for each in islice(predictor.after(question), ahead)]
            answered.add(source)
            reply = Reply(wanted(source), trial)
            predictor.note(question, reply)


@given(st.sets(st.sampled_from("abcdefgh")), st.integers(0, 3))
def test_the_search_goes_the_same_way(needed: set[str], ahead: int) -> None:
    def wanted(source: str) -> bool:
        return needed <= set(source)

    alone = Driven(wanted, 0)
    assert alone.best == "".join(sorted(needed))
    found = Driven(wanted, ahead)
    assert (found.asked, found.best) == (alone.asked, alone.best)


def test_what_follows_a_failure_is_foreseen() -> None:
    found = Driven(lambda source: set("abcdefgh") <= set(source), ahead=1)
    # None holds. The first is not foreseen, and the second is not where the first was taken to hold.
    assert len(set(found.asked)) == 8
    assert found.unforeseen == ["bcdefgh", "acdefgh"]


def test_what_follows_a_success_is_foreseen() -> None:
    found = Driven(lambda source: True, ahead=1)
    assert found.best == ""
    assert len(found.asked) == 8
    assert len(found.unforeseen) == 1


def test_the_copy_is_made_anew_where_it_was_wrong() -> None:
    found = Driven(lambda source: set("gh") <= set(source), ahead=1)
    # Six hold, then two fail: the copy is wrong once.
    assert len(found.unforeseen) <= 2


def test_what_is_known_without_a_trial_is_not_predicted() -> None:
    found = Driven(
        lambda source: source.startswith("a"),
        1,
        [NAMES],
        "abcd",
        static=lambda source: not source.startswith("a"),
    )
    assert all(guess.startswith("a") for guess in found.guessed)
    assert found.unforeseen == ["acd"]


def test_what_a_search_had_weighs_more_than_what_is_believed_of_it() -> None:
    rates = Rates()
    assert rates.holds(NAMES, first=True) and not rates.holds(NAMES, first=False)
    assert not rates.holds(STATEMENTS, first=True)
    assert not rates.holds(VERIFY, first=True)
    for _ in range(3):
        rates.note(NAMES, first=True, held=False)
        rates.note(STATEMENTS, first=True, held=True)
    assert not rates.holds(NAMES, first=True)
    assert rates.holds(STATEMENTS, first=True) and not rates.holds(STATEMENTS, first=False)


def test_what_will_be_learned_from_is_predicted_where_it_is_worth_a_trial() -> None:
    coverage, plain = Question("x", wants=frozenset({Want.COVERAGE})), Question("x", wants=frozenset())

    def replay(begun: Begin) -> Questions[None]:
        for question in (Question("a"), coverage, plain, Question("b")):
            reply = yield question
            assert reply.predicted and reply.shown == ()

    predictor = Predictor(lambda source: None)
    predictor.begin(NAMES, replay)
    assert list(predictor.after(Question("a"))) == [coverage, Question("b")]


def test_a_failing_line_is_found_by_its_text() -> None:
    standing = ReductionState(lambda step: None)
    standing.begin("a\nb\nc", failing_line=2)
    predicted = Reply(True, predicted=True)
    standing.accept("b\nc", frozenset(), predicted, trusted=False)
    assert standing.failing_line == 1
    standing.accept("a\nc", frozenset(), predicted, trusted=False)
    assert standing.failing_line is None
    standing.accept("x\ny", frozenset(), Reply(True, failing_line=2), trusted=False)
    assert standing.failing_line == 2
