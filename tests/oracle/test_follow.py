"""`--figure`: which figure a reduction follows, and what judges then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flybisect.errors import UserError
from flybisect.observation import Answer, Kernel, Observation, Signature, Want
from flybisect.oracle.conditions import parse
from flybisect.oracle.follow import Following, following, sentence
from flybisect.oracle.plugin import Evidence, Options, Oracle
from flybisect.oracle.registry import load
from tests.oracle.recorded import recorded
from tests.oracle.test_differences import recast_iter

COMPARES = Options(compares=True)
BASES = 'bases("ds_read_b64_tr_b16")'


def oracle(figure: str, name: str = "spills") -> Oracle:
    return following(load(name).build(COMPARES), figure, COMPARES)


def with_kernel(seen: Observation, **changes: object) -> Observation:
    return replace(seen, kernels=(replace(seen.kernels[0], **changes),))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["spills", "auto"])
def test_auto_follows_the_cause(name: str) -> None:
    first = recast_iter()
    before = oracle("auto", name)
    assert Want.ASSEMBLY in before.wants
    assert before.provisional
    assert before.needs_baseline(first.subject)
    verdict = before.judge(first)
    chosen = before.specialized(first)
    assert isinstance(chosen, Following)
    assert chosen.difference.figure == BASES
    assert chosen.name == "spills"
    assert not chosen.provisional
    assert verdict.interesting
    assert verdict.signature == Signature("isa", chosen.difference.condition)
    assert "vgpr_spills, which differs most, depends on register pressure" in sentence(chosen)


def test_the_cause_stays_without_the_symptom() -> None:
    first = recast_iter()
    assert first.baseline is not None
    chosen = oracle("auto").specialized(first)
    few = with_kernel(first.subject, vgpr_spills=0, vgprs=60, bases={"ds_read_b64_tr_b16": 18})
    less = with_kernel(first.subject, vgpr_spills=0, bases={"ds_read_b64_tr_b16": 17})
    worse = with_kernel(first.baseline, bases={"ds_read_b64_tr_b16": 3})
    assert chosen.judge(Evidence(few, first.baseline, first)).interesting
    assert not chosen.judge(Evidence(less, first.baseline, first)).interesting
    assert not chosen.judge(Evidence(first.subject, worse, first)).interesting
    margins = chosen.margins(Evidence(few, first.baseline, first))
    left = {name: (margin.first, margin.left) for name, margin in margins.items()}
    assert left == {"vgpr_spills": (38, 0), "bases('ds_read_b64_tr_b16')": (32, 16)}


def test_the_condition_says_the_same_bug_by_itself() -> None:
    """As `--oracle isa --when CONDITION`, which reports and bisections use."""
    first = recast_iter()
    chosen = oracle("auto").specialized(first)
    options = replace(COMPARES, when=chosen.condition)
    assert load("isa").build(options).judge(first).signature == chosen.judge(first).signature
    assert load("isa").build(options).condition == chosen.condition


@pytest.mark.parametrize("figure", ["vgprs", "vgpr_spills", 'count("v_or_b32*")', "lds_bytes", 'bases("x")'])
def test_a_named_figure(figure: str) -> None:
    first = recast_iter()
    chosen = oracle(figure).specialized(first)
    verdict = oracle(figure).judge(first)
    if figure in ("lds_bytes", 'bases("x")'):
        assert verdict.answer is Answer.UNINTERESTING
        assert "does not differ" in verdict.why
        return
    assert verdict.interesting
    assert isinstance(chosen, Following)
    assert parse(str(chosen.condition)).holds(first)


def test_a_named_figure_needs_no_symptom() -> None:
    first = recast_iter()
    healthy = with_kernel(first.subject, vgpr_spills=0)
    assert oracle(BASES).judge(Evidence(healthy, first.baseline)).interesting
    assert oracle("auto", "auto").judge(Evidence(healthy, first.baseline)).interesting
    assert not oracle("auto", "spills").judge(Evidence(healthy, first.baseline)).interesting


def test_where_nothing_is_steadier_the_oracle_is_followed() -> None:
    seen = recorded("block1024_spill@0.5.0")
    base = replace(seen, kernels=(Kernel("k", vgprs=64, instructions={"s_endpgm": 1}),))
    first = Evidence(replace(seen, kernels=(replace(seen.kernels[0], instructions={"s_endpgm": 1}),)), base)
    chosen = oracle("auto").specialized(first)
    assert chosen.name == "spills"
    assert chosen.condition == load("spills").build(COMPARES).condition
    assert oracle("auto").judge(first).signature == Signature("spills")
    assert "own condition is followed" in sentence(chosen)


def test_a_failure_has_no_figure() -> None:
    first = Evidence(recorded("gemm_buffer64@0.5.0"), recorded("mfma_bf16@0.5.0"))
    chosen = oracle("auto", "legalization").specialized(first)
    assert oracle("auto", "legalization").judge(first).interesting
    assert "judges by no figure" in sentence(chosen)


@pytest.mark.parametrize(
    ("figure", "options", "word"),
    [
        ("auto", Options(), "--against-args"),
        ("vgpr", COMPARES, "no figure"),
        ("base.vgprs", COMPARES, "no figure"),
        ("auto", replace(COMPARES, when="vgprs > 3"), "--when"),
        ("auto", replace(COMPARES, pattern="x"), "--pattern"),
        ("auto", replace(COMPARES, command="x"), "--command"),
    ],
)
def test_what_makes_no_sense_is_said(figure: str, options: Options, word: str) -> None:
    with pytest.raises(UserError, match=word):
        following(load("spills").build(COMPARES), figure, options)
