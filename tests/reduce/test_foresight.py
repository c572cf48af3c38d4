from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.guess import Guess
from flybisect.observation import Answer, Observation, Verdict, Want
from flybisect.reduce.foresight import Foresight, Judging, Rates, Telling, _Copied


class Known:
    """A judge of sets of letters, as `abd`, that draws so many guesses for each question that is new."""

    compares = False

    def __init__(self, wanted: Callable[[str], bool], ahead: int) -> None:
        self._wanted = wanted
        self._ahead = ahead
        self.asked: list[str] = []
        self._answered: set[str] = set()
        self.guessed: list[str] = []
        self.unforeseen: list[str] = []

    def judge(self, source: str) -> Verdict:
        return Verdict(Answer.INTERESTING if self._wanted(source) else Answer.UNINTERESTING)

    def verdicts(
        self,
        sources: Iterable[str],
        trusted: Callable[[str], bool] = lambda source: False,
        guesses: Callable[[str], Iterator[Guess]] | None = None,
    ) -> Iterator[tuple[str, Verdict]]:
        for source in sources:
            known = self.known(source) is not None
            if not known and source not in self.guessed:
                self.unforeseen.append(source)
            self.asked.append(source)
            drawn = iter(()) if guesses is None or known else guesses(source)
            self.guessed.extend(guess.source for guess in islice(drawn, self._ahead))
            self._answered.add(source)
            yield source, self.judge(source)

    def known(self, source: str) -> bool | None:
        return self._wanted(source) if source in self._answered else None

    def observe(self, source: str, wants: frozenset[Want] = frozenset()) -> tuple[Observation, ...]:
        return ()

    def failing_line(self, source: str) -> int | None:
        return None


def shrink(judge: Judging, passes: Iterable[str], best: str, fails: bool = False) -> str:
    """Each pass takes one letter after the other away, as the reducer does: its searches end at a success."""
    left = list(passes)
    for number, name in enumerate(left):
        if isinstance(judge, Telling):
            rest, start = left[number:], best

            def ahead(copy: Telling, rest: list[str] = rest, start: str = start) -> None:
                if fails:
                    raise ValueError("what the reduction itself never meets")
                shrink(copy, rest, start)

            judge.begin(name, ahead)
        again = True
        while again:
            again = False
            stream = (best.replace(letter, "") for letter in best)
            for source, verdict in judge.verdicts(stream):
                if verdict.interesting:
                    best, again = source, True
                    break
    return best


def run(wanted: Callable[[str], bool], ahead: int, *, fails: bool = False) -> tuple[Known, str]:
    known = Known(wanted, ahead)
    foresight = Foresight(known)
    try:
        return known, shrink(foresight, ["names", "verify names", "statements"], "abcdefgh", fails)
    finally:
        foresight.close()


@given(st.sets(st.sampled_from("abcdefgh")), st.integers(0, 3))
def test_the_search_goes_the_same_way(needed: set[str], ahead: int) -> None:
    def wanted(source: str) -> bool:
        return needed <= set(source)

    alone = Known(wanted, 0)
    assert shrink(alone, ["names", "verify names", "statements"], "abcdefgh") == "".join(sorted(needed))
    known, best = run(wanted, ahead)
    assert (known.asked, best) == (alone.asked, "".join(sorted(needed)))


def test_what_follows_a_failure_is_foreseen() -> None:
    known, _ = run(lambda source: set("abcdefgh") <= set(source), ahead=1)
    # None holds. The first is not foreseen, and the second is not where the first was taken to hold.
    assert len(set(known.asked)) == 8
    assert known.unforeseen == ["bcdefgh", "acdefgh"]


def test_what_follows_a_success_is_foreseen() -> None:
    known, best = run(lambda source: True, ahead=1)
    assert best == ""
    assert len(known.asked) == 8
    assert len(known.unforeseen) == 1


def test_it_is_set_right_where_it_was_wrong() -> None:
    known, _ = run(lambda source: set("gh") <= set(source), ahead=1)
    # Six hold, then two fail: the copy is wrong once.
    assert len(known.unforeseen) <= 2


def test_what_is_known_without_a_trial_is_not_guessed() -> None:
    class Static(Known):
        def known(self, source: str) -> bool | None:
            return super().known(source) if source.startswith("a") else False

    known = Static(lambda source: source.startswith("a"), 1)
    with closing(Foresight(known)) as foresight:
        shrink(foresight, ["names"], "abcd")
    # That to lose `a` fails takes no trial to tell, so it is not guessed to hold.
    assert all(guess.startswith("a") for guess in known.guessed)
    assert known.unforeseen == ["acd"]


def test_a_failing_line_is_found_by_its_text() -> None:
    class Located(Known):
        def failing_line(self, source: str) -> int | None:
            return 2 if source == "a\nb\nc" else None

    copied = _Copied(Located(lambda source: True, 0), Rates(), {})
    assert copied.failing_line("x\ny") is None
    assert copied.failing_line("a\nb\nc") == 2
    assert copied.failing_line("b\nc") == 1
    assert copied.failing_line("a\nc") is None


def test_what_a_pass_had_weighs_more_than_what_is_thought_of_it() -> None:
    rates = Rates()
    assert rates.holds("names", first=True) and not rates.holds("names", first=False)
    assert not rates.holds("statements", first=True)
    assert not rates.holds("verify names", first=True)
    for _ in range(3):
        rates.note("names", first=True, held=False)
        rates.note("statements", first=True, held=True)
    assert not rates.holds("names", first=True)
    assert rates.holds("statements", first=True) and not rates.holds("statements", first=False)


@pytest.mark.parametrize("fails", [False, True])
def test_no_thread_is_left(fails: bool) -> None:
    before = threading.active_count()
    known, best = run(lambda source: "c" in source, ahead=2, fails=fails)
    assert best == "c"
    assert threading.active_count() == before
    assert bool(known.guessed) is not fails
