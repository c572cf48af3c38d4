"""What the end of a user's command means."""

from __future__ import annotations

import pytest

from flybisect.errors import UserError
from flybisect.observation import Answer, Observation, Outcome, Signature, Stage
from flybisect.oracle.command_exit import not_run
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import load


def ended(code: int | None = None, outcome: Outcome = Outcome.EXIT, stderr: str = "") -> Observation:
    outcome = Outcome.OK if code == 0 else outcome
    return Observation(outcome, Stage.START, "gfx942", "0.5.0", exit_code=code, stderr=stderr)


@pytest.mark.parametrize(
    ("seen", "answer"),
    [
        (ended(0), Answer.INTERESTING),
        (ended(1), Answer.UNINTERESTING),
        (ended(124), Answer.UNINTERESTING),
        (ended(128), Answer.UNINTERESTING),
        (ended(125), Answer.UNRESOLVED),
        (ended(126), Answer.UNRESOLVED),
        (ended(127), Answer.UNRESOLVED),
        (ended(outcome=Outcome.SIGNAL), Answer.UNINTERESTING),
        (ended(outcome=Outcome.TIMEOUT), Answer.UNRESOLVED),
        (ended(outcome=Outcome.MEMORY), Answer.UNRESOLVED),
        (ended(outcome=Outcome.BROKEN), Answer.UNRESOLVED),
    ],
)
def test_exit_codes(seen: Observation, answer: Answer) -> None:
    oracle = load("command").build(Options(command="./judge"))
    verdict = oracle.judge(Evidence(seen))
    assert verdict.answer is answer
    assert oracle.needs_baseline(seen) == verdict.interesting
    if verdict.interesting:
        assert verdict.signature == Signature("command", "./judge")


def test_a_base() -> None:
    oracle = load("command").build(Options(command="./judge", compares=True))
    answers = [oracle.judge(Evidence(ended(0), ended(code))).answer for code in (0, 1, 125)]
    assert answers == [Answer.UNINTERESTING, Answer.INTERESTING, Answer.UNRESOLVED]


def test_what_it_said_last_is_told() -> None:
    oracle = load("command").build(Options(command="./judge"))
    assert "exit code 1: no luck" in oracle.judge(Evidence(ended(1, stderr="a\nno luck\n\n"))).why


def test_a_command_that_does_not_run() -> None:
    said = not_run("./judge", ended(127, stderr="sh: ./judge: not found\n"))
    assert said is not None
    assert "'./judge' cannot be run" in said
    assert not_run("./judge", ended(1)) is None
    assert not_run(None, ended(127)) is None


def test_a_command_is_needed() -> None:
    with pytest.raises(UserError, match="--command TEXT"):
        load("command").build(Options())
