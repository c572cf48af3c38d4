"""What benches lean on, without running one."""

from __future__ import annotations

import random

import pytest

from flybisect.observation import Observation, Outcome, Stage
from flybisect.source.source import count_statements
from tests.bench.__main__ import BENCHES
from tests.bench.generated import Bug, script
from tests.bench.others.plausible import implausible
from tests.bench.recording import Repeats, repeats_of
from tests.bench.report import PAGE, Table, placed
from tests.bench.scaling import exponent
from tests.bench.searching import KINDS, by_flybisect, by_git, histories


@pytest.mark.parametrize("bug", Bug)
@pytest.mark.parametrize("statements", [100, 500])
def test_generated_scripts_have_the_size_that_was_asked_for(bug: Bug, statements: int) -> None:
    text = script(statements, bug, seed=4)
    assert count_statements(text) == pytest.approx(statements, rel=0.04)
    assert text == script(statements, bug, seed=4) != script(statements, bug, seed=5)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("x = 0 .make_fragment_C()", "an attribute of a number"),
        ("x = None()", "a constant is called"),
        ("x", "a line that is only a name"),
        ("if 0:\n    x = 1", "a condition that is a constant"),
        ("def f(a: 0):\n    pass", "a parameter annotated"),
        ("y = 1", "names that the script never had: y"),
    ],
)
def test_what_nobody_writes(text: str, sign: str) -> None:
    assert sign in "; ".join(implausible(text, "x = a = f = make_fragment_C()"))


def test_what_stood_there_before_is_plausible() -> None:
    assert implausible("if 0:\n    x = 1", "if 0:\n    x = 1\n    y = 2\n") == []


def test_repeats_are_counted_where_they_were_compiled() -> None:
    seen = Observation(Outcome.OK, Stage.DONE, "gfx942", "0.5.0", traced=("k",))
    known = Observation(Outcome.OK, Stage.DONE, "gfx942", "0.5.0", traced=("k",), replayed=("k",))
    trials = [(("a",), "x = 1", seen), (("a",), "x = 1  # again", seen), (("a",), "x = 2", known)]
    assert repeats_of(trials) == Repeats(text=0, tree=1, ir=1)


def test_the_exponent_of_a_power() -> None:
    assert exponent([(n, 7 * n**1.5) for n in (100, 200, 1000)]) == pytest.approx(1.5)


def test_tables_have_their_place_on_the_page() -> None:
    table = Table("Title", ("a", "b"), [[1234, None], [0.5, True]]).markdown()
    page = placed("<!-- bench: x -->\nold\n<!-- end -->\n<!-- bench: y -->\n<!-- end -->\n", "x", table)
    assert "| 1,234 | – |" in page and "| 0.50 | yes |" in page and "old" not in page
    assert page.count("<!-- end -->") == 2
    with pytest.raises(ValueError, match="no place"):
        placed(page, "z", table)


def test_every_bench_has_its_place_on_the_page() -> None:
    text = PAGE.read_text()
    for name in BENCHES:
        assert placed(text, name, "")


@pytest.mark.parametrize("kind", KINDS)
def test_git_and_flybisect_come_to_the_same(kind: str) -> None:
    for history in histories(kind, 12, 1, random.Random(kind)):
        assert by_git(history).suspects == by_flybisect(history).suspects
