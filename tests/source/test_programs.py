"""The generated scripts are what they say they are; else the tests over them would say nothing."""

from __future__ import annotations

from hypothesis import given

from flybisect.source.check import problem, unbound_names
from tests.source.profile import examples
from tests.source.programs import scripts
from tests.source.running import run


@given(scripts())
@examples(40)
def test_they_run(text: str) -> None:
    assert problem(text) is None
    assert "import *" in text or unbound_names(text) == frozenset()
    assert run(text).ended_well, text


@given(scripts(needle=True))
@examples(40)
def test_they_have_their_needle(text: str) -> None:
    assert len(run(text).needles) == 1
