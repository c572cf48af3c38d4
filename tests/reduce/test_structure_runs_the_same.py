"""Passes of structure that change the form alone: what they give prints what the script printed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given

from flybisect.reduce.hint import Hint
from flybisect.reduce.passes import built, comprehensions, containers, counters, rolled, unrolled
from tests.reduce.hints import candidates
from tests.source.profile import examples
from tests.source.running import run
from tests.source.structures import structured

EXACT: dict[str, Callable[[Hint], bool]] = {
    "containers": lambda hint: True,
    "built": lambda hint: hint.label.startswith("build "),
    "comprehensions": lambda hint: True,
    "counters": lambda hint: True,
    "unrolled": lambda hint: hint.label.startswith("unroll "),
    "rolled": lambda hint: True,
}
"""By pass: the hints that keep what a script does. A last round alone leaves the others out; a
list that is filled anew is another one."""
PASSES = (containers.PASS, built.PASS, comprehensions.PASS, counters.PASS, unrolled.PASS, rolled.PASS)


@given(structured())
@examples(60)
def test_on_generated_scripts(text: str) -> None:
    before = run(text)
    assert before.ended_well, text
    for each in PASSES:
        for hint, candidate in candidates(each, text):
            if EXACT[each.name](hint):
                after = run(candidate)
                assert (after.ended_well, after.printed) == (True, before.printed), (
                    f"{hint.label}\n{candidate}"
                )


@pytest.mark.parametrize("name", sorted(EXACT))
def test_that_each_is_tried(name: str) -> None:
    """The generator writes what each of them looks for."""
    tried: list[str] = []

    @given(structured())
    @examples(60)
    def count(text: str) -> None:
        each = next(each for each in PASSES if each.name == name)
        tried.extend(hint.label for hint, _ in candidates(each, text) if EXACT[name](hint))

    count()
    assert len(tried) >= 2
