"""The oracles that are one kind of failure each, on what real compilers showed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flybisect.errors import UserError
from flybisect.observation import Answer, Observation, Outcome, Signature, Stage
from flybisect.oracle.plugin import Evidence, Options
from flybisect.oracle.registry import listing, load
from flybisect.oracle.signatures import UNJUDGEABLE, classify
from tests.oracle.recorded import everything, recorded

KINDS = {
    "legalization": {"legalization"},
    "assertion": {"assertion"},
    "verifier": {"verifier"},
    "crash": {"crash", "fatal"},
    "diagnostic": {"diagnostic"},
    "exception": {"exception"},
    "hang": {"hang", "memory"},
}
"""By oracle."""


@pytest.mark.parametrize("name", KINDS)
def test_an_oracle_finds_its_kind_and_no_other(name: str) -> None:
    oracle = load(name).build(Options())
    found = 0
    for recording, seen in everything().items():
        failure = classify(seen)
        verdict = oracle.judge(Evidence(seen))
        fits = failure is not None and failure.kind in KINDS[name]
        assert verdict.interesting == fits, recording
        if failure is not None and failure.kind in UNJUDGEABLE:
            assert verdict.answer is Answer.UNRESOLVED, recording
        found += verdict.interesting
    assert found >= 2


@pytest.mark.parametrize("name", KINDS)
def test_what_the_base_shows_as_well_is_not_interesting(name: str) -> None:
    oracle = load(name).build(Options(compares=True))
    fine = recorded("scaled@0.5.0")
    for seen in everything().values():
        if oracle.judge(Evidence(seen)).interesting:
            assert oracle.needs_baseline(seen)
            assert oracle.judge(Evidence(seen, fine)).interesting
            assert not oracle.judge(Evidence(seen, seen)).interesting


def test_a_diagnostic_counts_though_the_process_ends_with_0() -> None:
    oracle = load("diagnostic").build(Options())
    quiet, loud = recorded("lds_over_limit@0.5.0"), recorded("lds_over_limit@0.2.4")
    assert (quiet.outcome, loud.outcome) == (Outcome.OK, Outcome.EXIT)
    assert oracle.judge(Evidence(quiet)).signature == oracle.judge(Evidence(loud)).signature


def aborted(stderr: str) -> Observation:
    return Observation(Outcome.SIGNAL, Stage.PASSES, "gfx942", "0.5.0", signal=6, stderr=stderr)


@pytest.mark.parametrize(
    ("stderr", "kind"),
    [
        ("terminate called after throwing an instance of 'std::out_of_range'\n", "fatal"),
        ("LLVM ERROR: Cannot select: t7: v2f32 = AMDGPUISD::FOO t3, t4\n", "fatal"),
        ("", "crash"),
    ],
)
def test_last_words_are_a_crash(stderr: str, kind: str) -> None:
    verdict = load("crash").build(Options()).judge(Evidence(aborted(stderr)))
    assert verdict.interesting
    assert verdict.signature is not None
    assert verdict.signature.kind == kind


def test_an_assertion_is_no_crash() -> None:
    seen = recorded("zipped_divide_none@0.5.0")
    assert not load("crash").build(Options()).judge(Evidence(seen)).interesting


def test_an_exception_says_whether_a_kernel_was_traced() -> None:
    oracle = load("exception").build(Options())
    kernel, launcher = (
        oracle.judge(Evidence(recorded(f"{name}@0.5.0"))) for name in ("dynamic_if", "launcher_if")
    )
    assert kernel.interesting
    assert launcher.interesting
    assert kernel.signature != launcher.signature


def test_isa_needs_to_be_told_what_is_too_many() -> None:
    with pytest.raises(UserError, match=r"count\(\"scratch_load\*\"\) > NUMBER"):
        load("isa").build(Options())
    counted = recorded("block1024_spill@0.5.0")
    oracle = load("isa").build(Options(when='count("scratch_load*") > 10 and vgprs > 100'))
    verdict = oracle.judge(Evidence(counted))
    assert verdict.interesting
    assert verdict.metrics["count('scratch_load*')"] > 10
    assert not load("isa").build(Options(when='bases("ds_read*") > 0')).judge(Evidence(counted)).interesting


def test_isa_compares_the_number_of_instructions() -> None:
    oracle = load("isa").build(Options(compares=True))
    seen = recorded("block1024_spill@0.5.0")
    kernel = seen.kernels[0]
    more = replace(seen, kernels=(replace(kernel, instructions={**kernel.instructions, "v_nop": 3}),))
    judged = [
        oracle.judge(Evidence(*pair)).interesting for pair in ((more, seen), (seen, more), (seen, seen))
    ]
    assert judged == [True, False, False]


def test_options_that_an_oracle_does_not_take() -> None:
    for plugin in listing().plugins:
        for options in (Options(pattern="x"), Options(stage="y"), Options(command="z"), Options(when="a")):
            (name,) = options.given()
            if name not in plugin.takes:
                with pytest.raises(UserError, match=f"{plugin.name} does not accept --{name}"):
                    load(plugin.name).build(options)


def test_a_hang_takes_its_bounds_from_a_good_run() -> None:
    oracle = load("hang").build(Options(compares=True))
    assert oracle.limits_trials
    good = replace(recorded("vector_list@0.5.0"), seconds=3.0, peak_mib=900)
    bounds = oracle.trial_limits(good)
    assert bounds is not None
    assert (bounds.seconds, bounds.memory) == (30.0, 3600)
    short = oracle.trial_limits(replace(good, seconds=0.2))
    assert short is not None
    assert short.seconds == 10.0
    assert oracle.trial_limits(recorded("vector_list@0.2.4")) is None


def test_every_summary_is_a_line() -> None:
    for plugin in listing().plugins:
        assert len(plugin.name) + len(plugin.summary) < 118, plugin.name


def test_signatures_are_told_apart() -> None:
    seen = {str(classify(o)) for o in everything().values() if classify(o) is not None}
    assert Signature("hang", "during trace") != Signature("hang", "during passes")
    assert len(seen) > 12
