"""Where a table's rows change: in what they show, or only in the words."""

from __future__ import annotations

from pathlib import Path

import pytest

from flybisect.bisect.endpoints import EndpointOracle, Find, rule_for
from flybisect.bisect.matrix import Matrix, changes, row
from flybisect.bisect.test_record import TestRecord
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import load
from flybisect.oracle.same_as import counting_as_same
from flybisect.search.bisect import Side
from flybisect.terminal.matrix import as_markdown, print_matrix
from tests.judge.replay import SUBJECT
from tests.oracle.recorded import recorded

RELEASES = ("0.1.8", "0.2.4", "0.3.1", "0.5.0")
WORDS = ("insert_strided_slice", "fly.copy_atom_call_ssa", "'ub.poison' op")


def rows(script: str, measure: EndpointOracle | None = None) -> list[TestRecord]:
    return [
        row(at, release, SUBJECT, Evidence(recorded(f"{script}@{release}")), measure)
        for at, release in enumerate(RELEASES)
    ]


def changed(script: str, *same_as: str) -> list[tuple[str, bool]]:
    return [(change.at.name, change.same_bug) for change in changes(rows(script), same_as)]


def test_three_texts() -> None:
    assert changed("gemm_buffer128") == [("0.2.4", False), ("0.5.0", False)]
    assert changed("gemm_buffer128", *WORDS) == [("0.2.4", True), ("0.5.0", True)]
    # What shows first need not be named.
    assert changed("gemm_buffer128", *WORDS[1:]) == [("0.2.4", True), ("0.5.0", True)]
    assert changed("gemm_buffer128", WORDS[1]) == [("0.2.4", True), ("0.5.0", False)]


def test_an_assertion_whose_message_is_reworded_is_the_same_bug() -> None:
    assert changed("zipped_divide_none") == [("0.5.0", True)]


def test_what_is_repaired_is_no_matter_of_words() -> None:
    assert changed("mfma_bf16", "legalization")[0] == ("0.2.4", False)


def test_marks(capsys: pytest.CaptureFixture[str]) -> None:
    table = rows("gemm_buffer128")
    print_matrix(table, WORDS)
    out = capsys.readouterr().out
    assert [line[0] for line in out.splitlines()] == [" ", " ", "~", " ", "~", "~"]
    assert "same bug with another message" in out
    assert "| *0.2.4* |" in as_markdown(table, WORDS)
    assert "| **0.2.4** |" in as_markdown(table)
    assert [c["same_bug"] for c in Matrix(Path("k.py"), tuple(table), WORDS).to_dict()["changes"]] == [
        True,
        True,
    ]


def test_joined_texts_are_bad_on_every_release() -> None:
    for name in ("verifier", "legalization", "auto"):
        measure = EndpointOracle(counting_as_same(load(name), WORDS), Options())
        assert {each.side for each in rows("gemm_buffer128", measure)} == {Side.BAD}
        fine, bad = Evidence(recorded("scaled@0.1.8")), Evidence(recorded("gemm_buffer128@0.5.0"))
        rule = rule_for(measure, fine, bad)
        assert rule.find is Find.BUG
        for release in RELEASES:
            assert rule.judge(Evidence(recorded(f"gemm_buffer128@{release}")))[0] is Side.BAD
        assert rule.judge(Evidence(recorded("zipped_divide_none@0.5.0")))[0] is Side.SKIP


def test_auto_in_a_bisection() -> None:
    auto = EndpointOracle(load("auto"), Options())
    fine, hangs = Evidence(recorded("vector_list@0.5.0")), Evidence(recorded("vector_list@0.2.4"))
    rule = rule_for(auto, hangs, fine)
    assert (rule.find, rule.oracle.name) == (Find.FIX, "auto")
    assert rule.judge(Evidence(recorded("vector_list@0.3.1")))[0] is Side.GOOD
    assert rule.judge(Evidence(recorded("mfma_bf16@0.1.8")))[0] is Side.SKIP


def test_auto_where_nothing_fails_takes_a_figure() -> None:
    auto = EndpointOracle(load("auto"), Options())
    few, many = Evidence(recorded("scaled@0.5.0")), Evidence(recorded("mfma_bf16@0.5.0"))
    rule = rule_for(auto, few, many)
    assert (rule.find, rule.oracle.name) == (Find.BUG, "vgprs")
    spills = Evidence(recorded("block1024_spill@0.5.0"))
    assert rule_for(auto, spills, few).oracle.name in ("spills", "auto")
