"""The bisector over made-up histories, with entries that are untestable, costly, crossed or flaky."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flybisect.bisect.answer import Answer
from flybisect.bisect.bisector import Bisector, NoBoundary
from flybisect.bisect.endpoints import EndpointOracle, Find
from flybisect.bisect.entry import Attempt
from flybisect.bisect.observer import Observer
from flybisect.errors import UserError
from flybisect.observation import Observation
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import load
from flybisect.search.bisect import Side
from flybisect.search.reproduction_rate import AT_START, MEASURED, MOST
from flybisect.toolchain.model import Exactness, Toolchain, Unavailable
from tests.oracle.recorded import recorded

CLEAN = recorded("mfma_bf16@0.5.0")
BUG = recorded("gemm_buffer64@0.5.0")
OTHER = recorded("gemm_buffer128@0.5.0")
API = recorded("api@0.5.0")
MEASURE = EndpointOracle(load("legalization"), Options())

UNTESTABLE = (
    "no way",
    "unavailable",
    "lacks the API",
    "another failure",
    "halves disagree",
    "half unavailable",
)
TESTABLE = ("exact", "second way", "halves agree", "second judged")


def obtained(key: str) -> Toolchain:
    return Toolchain(key, "release", key, key, Path("python"))


def missing() -> Toolchain:
    raise Unavailable("no wheel")


@dataclass(frozen=True)
class Made:
    """An entry of one of those kinds."""

    name: str
    kind: str
    costly: bool = False

    @property
    def label(self) -> str:
        return f"entry {self.name}"

    def attempts(self) -> Sequence[Attempt]:
        if self.kind == "no way":
            return ()
        if self.kind == "unavailable":
            return (Attempt(self.name, "a wheel", Exactness.EXACT, missing),)
        if self.kind == "second way":
            return Attempt(self.name, "a wheel", Exactness.EXACT, missing), self._attempt("")
        if self.kind == "second judged":
            return self._attempt("/api"), self._attempt("")
        if "hal" in self.kind:
            second = "/opposite" if self.kind == "halves disagree" else "/2"
            halves = self._attempt("/1"), self._attempt(second)
            if self.kind == "half unavailable":
                halves = Attempt(self.name, "half", Exactness.INEXACT, missing), halves[0]
            return (Attempt(self.name, "halves", Exactness.BOTH_NATIVES, missing, pieces=halves),)
        return (self._attempt(""),)

    def why_none(self) -> str:
        return "can't be obtained at all"

    def _attempt(self, part: str) -> Attempt:
        return Attempt(self.name, f"part{part}", Exactness.EXACT, lambda: obtained(f"{self.name}{part}"))


class Runs(Observer):
    """Each entry shows the bug in a part of its runs, which are counted by toolchain."""

    def __init__(self, entries: Sequence[Made], rates: Sequence[float], seed: int = 0) -> None:
        self._kinds = {entry.name: entry.kind for entry in entries}
        self._rates = {entry.name: rate for entry, rate in zip(entries, rates, strict=True)}
        self._rolls = random.Random(seed)
        self._known: dict[str, Evidence] = {}
        self.ran: list[str] = []

    @property
    def mark(self) -> str:
        return "made up"

    def ends(self, older: Toolchain, newer: Toolchain) -> tuple[Evidence, Evidence]:
        return self.observe(older), self.observe(newer)

    def observe(self, toolchain: Toolchain) -> Evidence:
        if toolchain.key not in self._known:
            self._known[toolchain.key] = self.again(toolchain, None)
        return self._known[toolchain.key]

    def again(self, toolchain: Toolchain, worth: object) -> Evidence:
        self.ran.append(toolchain.key)
        return Evidence(self._shown(toolchain.key))

    def _shown(self, key: str) -> Observation:
        name, _, part = key.partition("/")
        kind, rate = self._kinds[name], self._rates[name]
        if kind == "another failure":
            return OTHER
        if kind == "lacks the API" or part == "api":
            return API
        rate = 1 - rate if part == "opposite" else rate
        return BUG if rate == 1 or (rate and self._rolls.random() < rate) else CLEAN


def searched(
    entries: Sequence[Made], runs: Runs, jobs: int = 1, find: Find | None = None, narrow: bool = False
) -> Answer:
    bisector = Bisector(entries, runs, MEASURE, jobs=jobs)
    bisector.check_endpoints(find, narrow=narrow)
    bisector.skip_untestable()
    return bisector.answer(bisector.search())


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Made], list[float], int]:
    """One change, at a known place."""
    count = draw(st.integers(2, 24))
    change = draw(st.integers(1, count - 1))
    appeared = draw(st.booleans())
    kinds = [draw(st.sampled_from((*TESTABLE, *UNTESTABLE))) for _ in range(count)]
    kinds[0] = kinds[-1] = "exact"
    entries = [Made(f"{at:02}", kind, draw(st.booleans())) for at, kind in enumerate(kinds)]
    return entries, [float((at >= change) is appeared) for at in range(count)], change


@settings(max_examples=60, deadline=None)
@given(histories(), st.integers(2, 3))
def test_the_answer_is_true_and_every_run_is_in_it(
    drawn: tuple[list[Made], list[float], int], jobs: int
) -> None:
    entries, rates, change = drawn
    runs = Runs(entries, rates)
    answer = searched(entries, runs)
    assert change in answer.found.suspects
    assert answer.exact is (len(answer.found.suspects) == 1)
    assert all(entries[answer.names.index(name)].kind in UNTESTABLE for name in answer.untested)
    assert {record.name for record in answer.skipped} >= set(answer.untested)
    assert all(entries[record.at].kind in UNTESTABLE for record in answer.skipped)
    data = answer.to_dict()
    assert data["run_count"] == sum(test["runs"] for test in data["tests"]) == len(runs.ran)
    assert data["test_count"] == len(data["tests"])
    bug = answer.find is Find.BUG
    keys = ("last_good", "first_bad") if bug else ("last_bad", "first_good")
    assert [data[key] for key in keys] == [
        entries[at].name for at in (answer.found.before, answer.found.after)
    ]
    assert (data["range"] is None) is answer.exact
    ran = Counter(runs.ran)
    for at in (0, len(entries) - 1, answer.found.before, answer.found.after):
        rests_on = [toolchain.key for toolchain in answer.test_at(at).toolchains]
        assert {ran[key] for key in rests_on} == {1 + AT_START}, "endpoints and answer are verified again"
    assert not any(entry.kind == "half unavailable" and ran[f"{entry.name}/1"] for entry in entries)
    together = searched(entries, Runs(entries, rates), jobs)
    assert (together.before, together.after) == (answer.before, answer.after)


@settings(max_examples=60, deadline=None)
@given(histories(), st.integers(0, 10**6), st.data())
def test_a_flaky_answer_was_seen_often_enough(
    drawn: tuple[list[Made], list[float], int], seed: int, data: st.DataObject
) -> None:
    entries, steady, _ = drawn
    rates = [rate and data.draw(st.sampled_from([0.5, 0.7, 0.9, 1.0])) for rate in steady]
    try:
        answer = searched(entries, Runs(entries, rates, seed))
    except UserError as error:
        assert "alike" in str(error) or "too low" in str(error)
        return
    bug = answer.find is Find.BUG
    before, after = (answer.test_at(at) for at in (answer.found.before, answer.found.after))
    good, bad = (before, after) if bug else (after, before)
    assert (good.side, bad.side) == (Side.GOOD, Side.BAD)
    assert bad.tally.bad and not good.tally.bad
    assert good.tally.good >= answer.flakiness.clean_runs
    assert answer.flakiness.clean_runs <= MOST
    assert all(rate.runs >= MEASURED for _, rate in answer.flakiness.flaky)
    assert answer.flakiness.clean_runs >= max(
        (rate.repeats or 1 for _, rate in answer.flakiness.flaky), default=1
    )


def made(kinds: str, shown: str) -> tuple[list[Made], Runs]:
    """`kinds`: `.` exact, `-` unavailable, `a` lacks the API; `shown`: `1` with the bug."""
    names = {".": "exact", "-": "unavailable", "a": "lacks the API", "n": "no way"}
    entries = [Made(f"{at}", names[kind]) for at, kind in enumerate(kinds)]
    return entries, Runs(entries, [float(one) for one in shown])


def test_endpoints_that_cannot_be_judged_are_left_out_where_that_is_asked_for() -> None:
    entries, runs = made("aa....a", "0001111")
    answer = searched(entries, runs, narrow=True)
    assert (answer.before, answer.after) == ("2", "3")
    assert [record.name for record in answer.skipped] == ["0", "1", "6"]
    assert [test.name for test in answer.tests] == list("0123456")
    with pytest.raises(NoBoundary, match="between entry 0 and entry 6: both endpoints are alike: shows api"):
        searched(entries, Runs(entries, [0.0] * 7))


def test_what_was_left_out_is_said_where_there_is_no_boundary() -> None:
    entries, runs = made("aa...", "00000")
    with pytest.raises(NoBoundary, match=r"alike: shows no failure; skipped as untestable: 0\.\.1 \(api"):
        searched(entries, runs, narrow=True)


@pytest.mark.parametrize(
    ("kind", "why"), [("-", "is unavailable: no wheel"), ("n", "can't be obtained at all")]
)
def test_an_endpoint_has_to_be_there(kind: str, why: str) -> None:
    entries, runs = made(f"...{kind}", "0011")
    with pytest.raises(UserError, match=f"the endpoint entry 3 {why}"):
        searched(entries, runs)


def test_endpoints_the_wrong_way_round_say_what_to_ask_for() -> None:
    entries, runs = made("....", "0011")
    with pytest.raises(UserError, match="it appeared between them: use --find bug"):
        searched(entries, runs, find=Find.FIX)
    entries, runs = made("....", "1100")
    with pytest.raises(UserError, match="it was fixed between them: use --find fix"):
        searched(entries, runs, find=Find.BUG)
