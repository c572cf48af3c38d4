from __future__ import annotations

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.errors import UserError
from flybisect.observation import METRICS, Kernel, Observation, Outcome, Stage
from flybisect.oracle.conditions import MissingFigure, parse
from flybisect.oracle.plugin import Evidence


def seen(*kernels: Kernel) -> Observation:
    return Observation(Outcome.OK, Stage.DONE, "gfx942", "0.5.0", kernels=kernels)


def spilling(spills: int, vgprs: int = 64) -> Observation:
    return seen(Kernel("k", vgprs=vgprs, vgpr_spills=spills))


COUNTED = seen(
    Kernel("a", instructions={"ds_read_b64": 3, "ds_read_b128": 4, "s_nop": 1}, bases={"ds_read_b64": 2}),
    Kernel("b", instructions={"ds_read_b64": 5}, bases={"ds_read_b64": 3, "ds_read_b128": 1}),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vgpr_spills > 0", True),
        ("vgpr_spills >= base.vgpr_spills + 8", True),
        ("vgpr_spills >= base.vgpr_spills + 9", False),
        ("0 < base.vgpr_spills <= 2 < vgpr_spills", True),
        ("vgpr_spills > 0 and not base.vgpr_spills > 2", True),
        ("vgprs == 1 or vgprs != 64", False),
        ("vgpr_spills == first.vgpr_spills / 2", True),
        ("base.vgpr_spills < first.base.vgpr_spills", True),
        ("max(vgpr_spills, base.vgpr_spills, 3) == 10", True),
        ("min(vgpr_spills, 3) == abs(-3) == abs(3)", True),
        ("vgpr_spills % 4 == 2 and vgpr_spills // 4 == 2 and vgpr_spills * 2 - 20 == 0", True),
    ],
)
def test_conditions(text: str, expected: bool) -> None:
    first = Evidence(spilling(20), spilling(4))
    assert parse(text).holds(Evidence(spilling(10), spilling(2), first)) is expected


def test_counters_take_the_worst_kernel() -> None:
    evidence = Evidence(COUNTED)
    assert parse('count("ds_read*") == 7 and count("ds_read_b64") == 5').holds(evidence)
    assert parse('bases("ds_read*") == 3 and bases("buffer_*") == 0').holds(evidence)
    assert parse('base.count("s_nop") == 1').holds(Evidence(COUNTED, COUNTED))


def test_first_is_the_script_itself_while_it_is_judged() -> None:
    assert parse("first.vgpr_spills == vgpr_spills == 3").holds(Evidence(spilling(3)))


def test_what_a_condition_needs() -> None:
    plain, counting, comparing = (
        parse(t) for t in ("vgprs > 1", 'count("x") > 1', "vgprs > first.base.vgprs")
    )
    assert (plain.needs_assembly, plain.needs_baseline) == (False, False)
    assert (counting.needs_assembly, counting.needs_baseline) == (True, False)
    assert (comparing.needs_assembly, comparing.needs_baseline) == (False, True)


def test_figures_are_those_that_it_names() -> None:
    condition = parse('base.vgprs < vgprs and count("ds_read*") > first.vgpr_spills')
    assert condition.figures(Evidence(COUNTED)) == {
        "vgprs": 0,
        "count('ds_read*')": 7,
        "first.vgpr_spills": 0,
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("vgprs > 1", "no kernel"),
        ('count("x") > 1', "no kernel"),
        ("base.vgprs > 1", "no baseline"),
        ("1 / first.vgprs > 1", "no kernel"),
    ],
)
def test_what_is_missing_is_no_answer(text: str, why: str) -> None:
    with pytest.raises(MissingFigure, match=why):
        parse(text).holds(Evidence(seen()))


def test_a_division_by_zero_is_no_answer() -> None:
    with pytest.raises(MissingFigure, match="1 / vgpr_spills"):
        parse("1 / vgpr_spills > 0").holds(Evidence(spilling(0)))


def test_counting_without_assembly_is_no_answer() -> None:
    with pytest.raises(MissingFigure, match="assembly"):
        parse('count("x") == 0').holds(Evidence(spilling(0)))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("vgpr_spill > 0", ["'vgpr_spill'", "did you mean vgpr_spills", "scratch_bytes"]),
        ("base.spill > 0", ["'base.spill'", "vgprs"]),
        ("other.vgprs > 0", ["'other.vgprs'", "first.base."]),
        ("base.first.vgprs > 0", ["'base.first.vgprs'"]),
        ("vgprs", ["'vgprs'", "compare it"]),
        ("vgprs = 3", ["==", "cannot be parsed"]),
        ("vgprs > 1 +", ["cannot be parsed"]),
        ("", ["cannot be parsed"]),
        ("(vgprs > 1) > 2", ["'vgprs > 1'", "where a number is expected"]),
        ("vgprs in (1, 2)", ["'(1, 2)'"]),
        ("vgprs is 3", ["'vgprs is 3'"]),
        ("vgprs ** 9 > 1", ["'vgprs ** 9'"]),
        ("vgprs > 'a'", ["\"'a'\"", "cannot be compared"]),
        ("vgprs > True", ["'True'"]),
        ("vgprs > 1e300", ["'1e+300'"]),
        ("count(3) > 1", ["count(3)", 'count("MNEMONIC")']),
        ("sum(vgprs) > 1", ["'sum'", "min, max and abs"]),
        ("max(vgprs) > 1", ["max(vgprs)"]),
        ("abs(1, 2) > 1", ["abs(1, 2)"]),
        ("__import__('os').system('x') > 1", ["system"]),
        ("(lambda: 1)() > 0", ["lambda"]),
        ("[v for v in (1,)] > 0", ["for"]),
        ("vgprs > 0 if vgprs else 1", ["if"]),
        ("vgprs > " + "1 + " * 120 + "1", ["too many parts"]),
        ("vgprs > 1" + " " * 500, ["characters"]),
    ],
)
def test_a_bad_condition_names_the_part_that_is_bad(text: str, names: list[str]) -> None:
    with pytest.raises(UserError) as error:
        parse(text)
    for name in names:
        assert name in str(error.value)


@given(st.text(max_size=80))
def test_any_text_is_a_condition_or_a_user_error(text: str) -> None:
    try:
        parse(text)
    except UserError as error:
        assert str(error)
    else:
        assert text.strip()


FIGURES = st.integers(0, 600)
OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@given(st.sampled_from(METRICS), FIGURES, FIGURES, st.sampled_from(sorted(OPERATORS)), st.integers(-99, 99))
def test_comparisons_mean_what_python_means(name: str, one: int, other: int, op: str, bound: int) -> None:
    evidence = Evidence(seen(Kernel("k", **{name: one})), seen(Kernel("k", **{name: other})))  # type: ignore[arg-type]
    assert parse(f"{name} {op} base.{name} + {bound}").holds(evidence) is OPERATORS[op](one, other + bound)
    assert parse(f"not {name} {op} {bound}").holds(evidence) is not OPERATORS[op](one, bound)


@given(st.lists(st.booleans(), min_size=2, max_size=6), st.sampled_from(["and", "or"]))
def test_and_and_or(values: list[bool], word: str) -> None:
    text = f" {word} ".join("vgprs > 0" if value else "vgprs < 0" for value in values)
    assert parse(text).holds(Evidence(spilling(0))) is (all if word == "and" else any)(values)
