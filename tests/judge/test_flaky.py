"""Bugs that show in some runs only."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.errors import UserError
from flybisect.judge.flaky import Flakiness
from flybisect.observation import Answer, Observation, Probe, Signature, Verdict
from flybisect.search.reproduction_rate import (
    AT_START,
    MEASURED,
    MISSED,
    MOST,
    SAMPLED,
    Rate,
    least_rate,
)
from flybisect.toolchain.model import Toolchain
from flybisect.workflows.check import check
from tests.judge.replay import Replay, by_first_word, judge_of

SHOWS = Verdict(Answer.INTERESTING, Signature("crash", "x"))
NOT = Verdict(Answer.UNINTERESTING)
UNCLEAR = Verdict(Answer.UNRESOLVED)


def flaky(rate: float, seed: int = 0) -> Callable[[], Verdict]:
    rolls = random.Random(seed)
    return lambda: SHOWS if rolls.random() < rate else NOT


def runs_of(again: Callable[[], Verdict]) -> Callable[[int], Iterable[Verdict]]:
    return lambda times: [again() for _ in range(times)]


def test_a_bug_that_always_shows_costs_two_runs() -> None:
    asked: list[int] = []

    def again() -> Verdict:
        asked.append(1)
        return SHOWS

    repeats = Flakiness()
    repeats.begin(SHOWS, 0.3, runs_of(again))
    assert (len(asked), repeats.rate, repeats.runs) == (2, None, 1)
    for number in range(10 * SAMPLED):
        repeats.settled(f"x = {number}", SHOWS, again)
    assert 2 + 10 / 3 < len(asked) < 2 + 30


@pytest.mark.parametrize("rate", [0.5, 0.7, 0.9])
def test_a_flaky_bug_is_measured_and_rarely_missed(rate: float) -> None:
    said: list[str] = []
    again = flaky(rate)
    repeats = Flakiness()
    repeats.notify = said.append
    while repeats.rate is None:
        repeats.begin(SHOWS, 0.3, runs_of(again))
    assert repeats.rate.runs == MEASURED
    assert 1 < repeats.runs <= MOST
    (sentence,) = said
    assert f"{repeats.rate.shown} of {MEASURED} runs" in sentence and "at most 1 %" in sentence
    missed = sum(not repeats.settled(f"{n}", again(), again).interesting for n in range(2000))
    assert missed <= 2000 * MISSED * 2
    assert not any(repeats.settled(f"{n}", NOT, lambda: NOT).interesting for n in range(100))


def test_a_bug_that_is_too_rare_is_refused_with_its_rate() -> None:
    with pytest.raises(UserError, match=r"shows in [1-4] of 20 runs"):
        Flakiness().begin(SHOWS, 0.3, runs_of(flaky(0.05)))


def test_it_is_noticed_along_the_way() -> None:
    repeats = Flakiness()
    repeats.begin(SHOWS, 0.3, runs_of(lambda: SHOWS))
    again = flaky(0.6)
    for number in range(20 * SAMPLED):
        repeats.settled(f"x = {number}", again(), again)
    assert repeats.rate is not None
    assert repeats.runs > 1


def test_what_is_unclear_is_not_repeated() -> None:
    def never() -> Verdict:
        raise AssertionError

    repeats = Flakiness()
    repeats.begin(SHOWS, 0.3, runs_of(lambda: SHOWS))
    repeats.runs = 5
    assert repeats.settled("x", UNCLEAR, never) is UNCLEAR


@given(st.integers(1, 40), st.data())
def test_least_rate(runs: int, data: st.DataObject) -> None:
    shown = data.draw(st.integers(0, runs))
    least = least_rate(shown, runs)
    assert 0 <= least <= max(shown / runs, 1e-9)
    if shown:
        assert least_rate(shown - 1, runs) <= least
    repeats = Rate(shown, runs).repeats
    if repeats is not None and shown < runs:
        assert (1 - least) ** repeats <= MISSED * 1.000001


def test_a_judge_repeats(tmp_path: Path) -> None:
    """Half the runs of the script show its bug, the others nothing; a candidate without it never does."""
    rolls = random.Random(3)

    def answer(probe: Probe, toolchain: Toolchain) -> Observation:
        bad = "gemm_buffer64" in probe.source and rolls.random() < 0.5
        shown = "gemm_buffer64" if bad else "vecadd_256b"
        return by_first_word(Probe(f"{shown};", "k.py", "gfx942"), toolchain)

    judge = judge_of(Replay(answer), tmp_path)
    for more in range(20):  # the first run may show nothing
        if judge.pin("gemm_buffer64; 0").interesting:
            break
        (tmp_path / f"{more}").mkdir()
        judge = judge_of(Replay(answer), tmp_path / f"{more}")
    judge.measure_flakiness("gemm_buffer64; 0")
    for number in range(20):
        assert judge.judge(f"gemm_buffer64; {number} + 1").interesting
        assert not judge.judge(f"vecadd_256b; {number}").interesting
    assert judge.flakiness.rate is not None


def in_turn(*shown: str) -> Replay:
    """Shows one after the other, and the last one from then on."""
    left = list(shown)

    def answer(probe: Probe, toolchain: Toolchain) -> Observation:
        name = left.pop(0) if len(left) > 1 else left[0]
        return by_first_word(Probe(f"{name};", "k.py", "gfx942"), toolchain)

    return Replay(answer)


def test_a_first_look_that_finds_nothing_is_repeated(tmp_path: Path) -> None:
    prober = in_turn("vecadd_256b")
    verdict = judge_of(prober, tmp_path).pin("x = 0")
    assert verdict.answer is Answer.UNINTERESTING
    assert "in each of 3 runs" in verdict.why
    assert len(prober.ran) == 1 + AT_START


def test_one_that_finds_it_later_is_measured(tmp_path: Path) -> None:
    judge = judge_of(in_turn("vecadd_256b", "vecadd_256b", "gemm_buffer64"), tmp_path)
    assert judge.pin("x = 0").interesting
    judge.measure_flakiness("x = 0")
    assert judge.flakiness.rate == Rate(19, 20)


def test_one_that_is_too_rare_is_measured_before_it_is_refused(tmp_path: Path) -> None:
    prober = in_turn("vecadd_256b", "gemm_buffer64", "vecadd_256b")
    judge = judge_of(prober, tmp_path)
    assert judge.pin("x = 0").interesting
    with pytest.raises(UserError, match="shows in 1 of 20 runs"):
        judge.measure_flakiness("x = 0")
    # What was measured then does not stand against a new look.
    again = judge_of(in_turn("gemm_buffer64"), tmp_path)
    assert again.pin("x = 0").interesting
    again.measure_flakiness("x = 0")


def test_what_the_journal_says_does_not_decide_a_new_look(tmp_path: Path) -> None:
    assert not judge_of(in_turn("vecadd_256b"), tmp_path).pin("x = 0").interesting
    later = judge_of(in_turn("gemm_buffer64"), tmp_path)
    assert later.pin("x = 0").interesting
    assert later.first is not None
    assert check(judge_of(in_turn("gemm_buffer64"), tmp_path), "x = 0").verdict.interesting


def test_what_the_machine_lacks_is_not_looked_for_again(tmp_path: Path) -> None:
    prober = in_turn("api")
    assert judge_of(prober, tmp_path).pin("x = 0").answer is Answer.UNRESOLVED
    assert len(prober.ran) == 1


def test_the_next_run_knows(tmp_path: Path) -> None:
    first, second = Replay(), Replay()
    for prober in (first, second):
        judge = judge_of(prober, tmp_path)
        judge.pin("gemm_buffer64; 0")
        judge.measure_flakiness("gemm_buffer64; 0")
    assert len(first.ran) == 3
    assert second.ran == []


@pytest.mark.parametrize("text", ["", "1", "x/y", "0/20", "21/20", "9/99999999999", "3/2"])
def test_a_note_that_makes_no_sense_is_none(text: str) -> None:
    class Kept:
        def note(self, name: str, said: str) -> None:
            self.said = said

        def noted(self, name: str) -> str | None:
            return text

    repeats = Flakiness()
    repeats.notes = kept = Kept()
    repeats.begin(SHOWS, 0.3, runs_of(lambda: SHOWS))
    assert kept.said == "1/1"


def test_a_rate_that_was_measured_holds_for_the_next_run() -> None:
    class Kept:
        said: str | None = None

        def note(self, name: str, said: str) -> None:
            self.said = said

        def noted(self, name: str) -> str | None:
            return self.said

    kept, first, second = Kept(), Flakiness(), Flakiness()
    first.notes = second.notes = kept
    again = flaky(0.5, seed=1)
    while first.rate is None:
        kept.said = None
        first.begin(SHOWS, 0.3, runs_of(again))
    second.begin(SHOWS, 0.3, runs_of(again))
    assert (second.rate, second.runs) == (first.rate, first.runs)


def test_with_two_jobs_the_unreduced_script_is_looked_at_side_by_side(tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=20)
    looked = threading.Event()

    def answer(probe: Probe, toolchain: Toolchain) -> Observation:
        if looked.is_set():
            both.wait()
        return by_first_word(probe, toolchain)

    judge = judge_of(Replay(answer), tmp_path, jobs=2)
    with closing(judge):
        assert judge.pin("gemm_buffer64; 0").interesting
        looked.set()
        judge.measure_flakiness("gemm_buffer64; 0")
    assert judge.flakiness.rate is None
