from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.observation import Answer, Diagnostic, Observation, Outcome, Signature, Stage
from flybisect.oracle.plugin import Evidence, Options, Oracle
from flybisect.oracle.registry import load
from flybisect.oracle.yaml_oracle import parse
from flybisect.probe.patterns import LONGEST_LINE
from tests.oracle.recorded import recorded

BUFFER64 = recorded("gemm_buffer64@0.5.0")
FINE = recorded("mfma_bf16@0.5.0")


def oracle(text: str, compares: bool = False) -> Oracle:
    return parse(text, "mine.yaml").build(Options(compares=compares))


def said(*errors: str, outcome: Outcome = Outcome.OK, stderr: str = "") -> Observation:
    diagnostics = tuple(Diagnostic("error", text, "stderr") for text in errors)
    return Observation(outcome, Stage.DONE, "gfx942", "0.5.0", diagnostics=diagnostics, stderr=stderr)


def test_legalization() -> None:
    legalization = load("legalization").build(Options())
    verdict = legalization.judge(Evidence(BUFFER64))
    assert verdict.interesting
    assert verdict.signature == Signature("legalization", "fly.copy_atom_call_ssa")
    fine = legalization.judge(Evidence(FINE))
    assert (fine.answer, fine.signature) == (Answer.UNINTERESTING, None)
    other = legalization.judge(Evidence(recorded("gemm_buffer128@0.5.0")))
    assert other.answer is Answer.UNINTERESTING
    assert other.signature is not None
    assert other.signature.kind == "verifier"


def test_an_api_that_is_not_there_cannot_be_judged() -> None:
    for name in ("api@0.5.0", "memory@0.5.0", "vector_list@0.2.4"):
        verdict = load("legalization").build(Options()).judge(Evidence(recorded(name)))
        assert verdict.answer is Answer.UNRESOLVED


def test_of_several_failures_the_first_scripts_is_wanted() -> None:
    text = "name: mine\nsummary: s\npattern: 'bad (?P<what>\\w+)'\nsignature: '{what}'\n"
    first = Evidence(said("bad a"))
    verdict = oracle(text).judge(Evidence(said("bad b", "bad a"), None, first))
    assert verdict.signature == Signature("mine", "a")
    assert oracle(text).judge(Evidence(said("bad b"), None, first)).signature == Signature("mine", "b")


def test_a_base_must_not_show_the_same() -> None:
    legalization = load("legalization").build(Options(compares=True))
    assert legalization.needs_baseline(BUFFER64)
    assert not legalization.needs_baseline(FINE)
    assert legalization.judge(Evidence(BUFFER64, FINE)).interesting
    same = legalization.judge(Evidence(BUFFER64, recorded("gemm_buffer64@0.2.4")))
    assert same.answer is Answer.UNINTERESTING
    assert legalization.judge(Evidence(BUFFER64, recorded("api@0.2.4"))).answer is Answer.UNRESOLVED


def test_streams_and_outcomes_restrict() -> None:
    text = "name: mine\nsummary: s\npattern: boom\nstreams: [stderr]\noutcomes: [exit]\n"
    assert oracle(text).judge(Evidence(said(outcome=Outcome.EXIT, stderr="a\nboom 12\n"))).interesting
    assert not oracle(text).judge(Evidence(said("boom", outcome=Outcome.EXIT))).interesting
    assert not oracle(text).judge(Evidence(said(stderr="boom\n"))).interesting


def test_without_a_template_the_signature_is_the_words() -> None:
    found = oracle("name: mine\nsummary: s\npattern: 'limit.*'\n").judge(
        Evidence(said("over limit 12 of %3"))
    )
    assert found.signature == Signature("mine", "limit N of %")


def test_a_kind_alone_is_what_classify_says() -> None:
    mine = oracle("name: mine\nsummary: s\nkind: verifier\n")
    assert mine.judge(Evidence(recorded("gemm_buffer128@0.1.8"))).interesting
    assert not mine.judge(Evidence(BUFFER64)).interesting


def test_long_lines_are_searched_up_to_a_bound() -> None:
    mine = oracle("name: mine\nsummary: s\npattern: boom\n")
    assert not mine.judge(Evidence(said(stderr="x" * LONGEST_LINE + "boom"))).interesting


def test_exceptions_are_searched_with_their_class() -> None:
    mine = oracle("name: mine\nsummary: s\npattern: 'RuntimeError: std::bad_cast'\nstreams: [exceptions]\n")
    assert mine.judge(Evidence(recorded("wide_constant@0.2.4"))).interesting


def test_notes_and_warnings_are_not_searched() -> None:
    seen = replace(FINE, diagnostics=(Diagnostic("note", "boom", "mlir"),))
    assert not oracle("name: mine\nsummary: s\npattern: boom\n").judge(Evidence(seen)).interesting


def test_a_condition_makes_no_sense_for_a_text() -> None:
    with pytest.raises(UserError, match="--when"):
        load("legalization").build(Options(when="vgprs > 1"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a\n- b\n", ["keys and values"]),
        ("name: [", ["not YAML"]),
        ("summary: s\npattern: x\n", ["name should consist"]),
        ("name: A b\nsummary: s\npattern: x\n", ["name should consist", "A b"]),
        ("name: a\npattern: x\n", ["needs a summary"]),
        ("name: a\nsummary: s\n", ["needs a pattern"]),
        ("name: a\nsummary: s\nkind: nosuch\n", ["kind among", "legalization"]),
        ("name: a\nsummary: s\npatern: x\n", ["'patern'", "did you mean 'pattern'"]),
        ("name: a\nsummary: s\npattern: '('\n", ["'('", "cannot be parsed"]),
        ("name: a\nsummary: s\npattern: 'x*'\n", ["empty text"]),
        ("name: a\nsummary: s\npattern: " + "x" * 1001, ["1000"]),
        ("name: a\nsummary: s\npattern: 7\n", ["pattern should be a text"]),
        ("name: a\nsummary: s\npattern: x\nsignature: '{op}'\n", ["{op}", "none"]),
        ("name: a\nsummary: s\npattern: x\nsignature: '{'\n", ["cannot be parsed"]),
        ("name: a\nsummary: s\npattern: '(?P<b>x)'\nsignature: '{b.__class__}'\n", ["b.__class__"]),
        ("name: a\nsummary: s\npattern: x\nstreams: [stdout]\n", ["streams", "stderr", "stdout"]),
        ("name: a\nsummary: s\npattern: x\noutcomes: [dead]\n", ["outcomes", "signal"]),
        ("name: a\nsummary: s\npattern: x\nclean: {b: words}\n", ["'b'"]),
        ("name: a\nsummary: s\npattern: '(?P<b>x)'\nclean: {b: soap}\n", ["soap", "basename"]),
        ("name: a\nsummary: s\npattern: x\nclean: words\n", ["clean"]),
    ],
)
def test_a_bad_file_says_what_is_bad(text: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(UserError) as error:
        load(str(tmp_path / "mine.yaml"))
    assert "mine.yaml" in str(error.value)
    for word in words:
        assert word in str(error.value)
