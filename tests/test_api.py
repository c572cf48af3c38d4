"""The Python API: `minimize` by any judgement, and the commands as functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.errors import UserError
from flybisect.reduce.hint import Facts
from flybisect.reduce.minimize import minimize
from flybisect.reduce.passes import PASSES
from flybisect.reduce.reduction_state import Step
from flybisect.source.check import syntax_problem
from flybisect.source.cut import carry_out, close
from flybisect.source.edit import Conflict
from flybisect.source.measure import size_of
from flybisect.source.scopes import Statements
from flybisect.source.source import Source, count_statements
from flybisect.source.substitute import Substitutes
from tests.source.profile import examples
from tests.source.programs import scripts
from tests.source.running import run

SCRIPT = """\
import os
import sys

LIMIT = 64


def helper(value, gain=2):
    # The interesting line.
    return value // (gain - 2)


def main():
    total = 0
    for number in range(LIMIT):
        total += helper(number)
    print(total, file=sys.stderr)


main()
"""


def reaches_the_needle(text: str) -> bool:
    return bool(run(text).needles)


def ends_well_with_a_needle(text: str) -> bool:
    done = run(text)
    return done.ended_well and bool(done.needles)


class Recorder:
    """Keeps the texts that a judgement is asked about."""

    def __init__(self, judgement: Callable[[str], bool]) -> None:
        self._judgement = judgement
        self.asked: list[str] = []

    def __call__(self, text: str) -> bool:
        self.asked.append(text)
        return self._judgement(text)


def simplifications(text: str, original: str) -> Iterator[tuple[str, str]]:
    """What each single hint makes of a script that nothing is known of, where that is smaller."""
    table, size = Statements(Source(text)), size_of(text)
    facts = Facts(learned=original, original=original)
    for each in (each for each in PASSES if not each.shortcut):
        for hint in each.hints(table, facts):
            try:
                candidate = carry_out(table, close(table, hint.cut, Substitutes(table, facts.kinds)))
            except Conflict:
                continue
            if syntax_problem(candidate) is None and size_of(candidate) < size:
                yield f"{each.name}: {hint.label}", candidate


@given(scripts(needle=True), st.sampled_from([reaches_the_needle, ends_well_with_a_needle]))
@examples(10)
def test_the_result_is_interesting_and_1_minimal(text: str, judgement: Callable[[str], bool]) -> None:
    if not judgement(text):
        return
    recorder = Recorder(judgement)
    result = minimize(text, recorder)
    assert judgement(result)
    assert result in recorder.asked
    assert len(recorder.asked) == len(set(recorder.asked))
    assert all(syntax_problem(asked) is None for asked in recorder.asked)
    assert count_statements(result) <= 9
    for label, candidate in simplifications(result, text):
        assert not judgement(candidate), label
    assert minimize(result, judgement) == result


def test_a_result_as_a_person_would_write_it() -> None:
    steps = list[Step]()
    result = minimize(SCRIPT, divides_by_zero, progress=steps.append)
    assert result == "total = 0\ntotal += 0 // 0\n"
    assert steps[-1].text == result


def divides_by_zero(text: str) -> bool:
    try:
        exec(compile(text, "<script>", "exec"), {})
    except ZeroDivisionError:
        return True
    except Exception:  # noqa: BLE001 - whatever a candidate raises
        return False
    return False


def test_a_judgement_may_look_at_comments() -> None:
    result = minimize(SCRIPT, lambda text: "# The interesting line." in text)
    assert "# The interesting line." in result
    assert count_statements(result) < count_statements(SCRIPT) // 2


def test_passes_are_chosen_by_name() -> None:
    kept = minimize(SCRIPT, divides_by_zero, passes=["statements"])
    assert minimize(SCRIPT, divides_by_zero, passes="statements") == kept
    assert "def helper" in kept and "print" not in kept
    with pytest.raises(UserError, match="there is no pass 'statement'"):
        minimize(SCRIPT, divides_by_zero, passes=["statement"])


def test_the_script_itself_has_to_be_interesting() -> None:
    with pytest.raises(ValueError, match="not interesting"):
        minimize("pass\n", lambda text: False)
    with pytest.raises(ValueError, match="does not parse: line 1"):
        minimize("def\n", lambda text: True)


def test_what_the_judgement_raises_comes_through() -> None:
    def refuse(text: str) -> bool:
        if text != SCRIPT:
            raise RuntimeError("the judgement broke")
        return True

    with pytest.raises(RuntimeError, match="the judgement broke"):
        minimize(SCRIPT, refuse)
