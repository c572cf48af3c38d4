"""Successes that rest on trust: what broke the comparison is found, and only that is undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from flybisect.judge.question import Questions, Reply
from flybisect.reduce.reduction_state import FARTHEST, NEAREST, ReductionState
from flybisect.reduce.trust import confirm
from tests.source.profile import examples


def answered(steps: Questions[bool], interesting: Callable[[str], bool]) -> tuple[bool, list[str]]:
    """What comes of it, and what was asked."""
    asked: list[str] = []
    reply: Reply | None = None
    while True:
        try:
            question = next(steps) if reply is None else steps.send(reply)
        except StopIteration as ended:
            return bool(ended.value), asked
        assert not question.trusted
        asked.append(question.source)
        reply = Reply(interesting(question.source), trial=True)


def begun(lines: Sequence[str], steps: Sequence[set[int]]) -> ReductionState:
    """With a trail: each step took some lines of the script."""
    standing = ReductionState(lambda step: None)
    standing.begin("".join(lines), None)
    gone: set[int] = set()
    for number, taken in enumerate(steps):
        gone |= taken
        text = "".join(line for at, line in enumerate(lines) if at not in gone)
        standing.accept(text, frozenset({f"step {number}"}), Reply(True), trusted=True)
    return standing


LINES = [f"x{number} = {number}\n" for number in range(12)]


def test_where_it_holds_the_next_one_goes_further() -> None:
    standing = begun(LINES, [{0}, {1}])
    assert answered(confirm(standing), lambda text: True) == (True, ["".join(LINES[2:])])
    assert standing.confirmed == standing.best == "".join(LINES[2:])
    assert standing.distance == 2 * NEAREST and not standing.trail
    for _ in range(9):
        standing.accept(standing.best + "\n", frozenset(), Reply(True), trusted=True)
        answered(confirm(standing), lambda text: True)
    assert standing.distance == FARTHEST


def test_a_large_success_is_judged_in_full_at_once() -> None:
    standing = begun(LINES, [{0}])
    assert not standing.due
    standing.accept(LINES[1], frozenset(), Reply(True), trusted=True, share=0.5)
    assert standing.due


def test_nothing_is_asked_without_a_success() -> None:
    assert answered(confirm(begun(LINES, [])), lambda text: False) == (True, [])


def test_only_the_step_at_fault_is_undone() -> None:
    standing = begun(LINES, [{0}, {4}, {7}, {2}, {9}])
    holds, asked = answered(confirm(standing), lambda text: "x7" in text)
    assert not holds
    assert standing.best == "".join(LINES[at] for at in range(12) if at not in {0, 4, 2, 9})
    assert standing.confirmed == standing.best
    assert standing.failed == {"step 2"} and standing.broken == 1
    assert standing.distance == 1 and len(asked) <= 5


@given(
    st.lists(st.sets(st.integers(0, 11), min_size=1, max_size=3), min_size=1, max_size=8),
    st.sets(st.integers(0, 11), max_size=2),
)
@examples(200)
def test_what_is_left_holds_and_little_is_lost(steps: list[set[int]], needed: set[int]) -> None:
    fresh = [step - set().union(*steps[:at]) for at, step in enumerate(steps)]
    fresh = [step for step in fresh if step]
    standing = begun(LINES, fresh)

    def interesting(text: str) -> bool:
        return all(f"x{number} =" in text for number in needed)

    holds, asked = answered(confirm(standing), interesting)
    at_fault = [step for step in fresh if step & needed]
    assert holds is not bool(at_fault)
    assert interesting(standing.best) and standing.best == standing.confirmed and not standing.trail
    left = {at for at in range(12) if at not in set().union(*(step for step in fresh if not step & needed))}
    assert standing.best == "".join(LINES[at] for at in sorted(left))
    assert len(asked) <= 1 + len(at_fault) * 5
