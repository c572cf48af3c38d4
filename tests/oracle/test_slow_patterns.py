"""A pattern of the user's that takes for ever ends in a sentence, and judges nothing."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from flybisect.errors import UserError
from flybisect.observation import Answer, Observation, Outcome, Stage
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import load
from flybisect.oracle.yaml_oracle import parse
from flybisect.probe.patterns import Patterns, TooSlow

QUIET = Observation(Outcome.EXIT, Stage.PASSES, "gfx942", "0.5.0", exit_code=1)
LONG = replace(QUIET, stderr="a" * 60 + "!\nboom\n")


def test_its_candidate_cannot_be_judged() -> None:
    begun = time.process_time()
    texts = load("text").build(Options(pattern="(a+)+$"))
    mine = parse("name: mine\nsummary: mine\npattern: (a|aa)+$", "here").build(Options())
    for oracle in (texts, mine):
        assert not oracle.needs_baseline(LONG)
        verdict = oracle.judge(Evidence(LONG))
        assert verdict.answer is Answer.UNRESOLVED
        assert "took more than 1 s" in verdict.why
        assert oracle.judge(Evidence(replace(QUIET, stderr="aaa"))).interesting
    assert time.process_time() - begun < 5


def test_one_that_is_slow_over_nothing_is_refused() -> None:
    with pytest.raises(UserError, match="--pattern: the pattern"):
        load("text").build(Options(pattern="(((((a?){999}){999}){999}){999}){999}"))


def test_it_is_found_as_re_finds_it() -> None:
    patterns = Patterns([r"no (?P<what>\w+)", r"(?P<why>bo+m)|(?P<what>x)"])
    assert patterns.groups == {"what", "why"}
    found = patterns.found(["no way\nboom", "x boom boooom", "no way"])
    assert [(each.text, dict(each.groups)) for each in found] == [
        ("no way", {"what": "way"}),
        ("boom", {"why": "boom", "what": ""}),
        ("x", {"why": "", "what": "x"}),
    ]
    assert found[1].line == "boom"


def test_what_takes_the_memory_is_ended() -> None:
    patterns = Patterns(["(?:(a)|b)*c"])
    try:
        assert patterns.found(["ab" * 8000] * 200) == []
    except TooSlow as error:
        assert "too much memory" in str(error) or "took more" in str(error)


def test_the_program_goes_with_what_asked_it() -> None:
    patterns = Patterns(["boom"])
    assert patterns.found(["boom"])
    process = patterns._process
    assert process is not None
    del patterns
    assert process.poll() is not None
