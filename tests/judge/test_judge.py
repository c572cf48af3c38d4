from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.judge.question import Question
from flybisect.observation import Answer, Observation, Outcome, Probe, Signature, Stage, Want
from flybisect.toolchain.model import Toolchain
from tests.judge.replay import (
    BASE,
    SUBJECT,
    Replay,
    by_first_word,
    judge_of,
)
from tests.oracle.recorded import recorded

# Names that candidates may read: the static check lets pass what the first script reads unbound.
NAMES = "gemm_buffer64; gemm_buffer128; mfma_bf16; caught; segfault; lds_over_limit; nothing; dynamic_if"
COPY = Signature("legalization", "fly.copy_atom_call_ssa")


def test_pinning(tmp_path: Path) -> None:
    judge = judge_of(Replay(), tmp_path)
    verdict = judge.pin(NAMES)
    assert verdict.interesting
    assert judge.signature == COPY
    assert judge.first is not None
    assert judge.first.subject == recorded("gemm_buffer64@0.5.0")
    assert judge.statistics.compiles == judge.statistics.candidates == 1


def test_another_signature_is_not_interesting_and_is_kept(tmp_path: Path) -> None:
    judge = judge_of(Replay(), tmp_path)
    judge.pin(NAMES)
    other = judge.judge("caught")  # legalization of another operation
    assert other.answer is Answer.UNINTERESTING
    assert "another bug" in other.why
    assert judge.judge("segfault").answer is Answer.UNINTERESTING
    judge.judge("segfault; caught")
    assert judge.also_seen == {
        Signature("legalization", "fly.copy_atom_call"): "caught",
        Signature("crash", "SIGSEGV during start"): "segfault",
    }


def test_exceptions_are_not_reported_as_also_seen(tmp_path: Path) -> None:
    judge = judge_of(Replay(), tmp_path)
    judge.pin(NAMES)
    judge.judge("dynamic_if")
    assert judge.also_seen == {}


def test_what_is_known_costs_no_trial(tmp_path: Path) -> None:
    prober = Replay()
    judge = judge_of(prober, tmp_path)
    judge.pin(NAMES)
    for text in ("mfma_bf16", "mfma_bf16", "mfma_bf16  # a comment", "(mfma_bf16)", "mfma_bf16 +", "unknown"):
        judge.judge(text)
    counts = judge.statistics
    assert len(prober.ran) == 2
    assert (counts.compiles, counts.cache_hits, counts.rejected_statically) == (2, 3, 2)
    assert counts.candidates == 7


LAUNCHED = "@flyc.jit\ndef launch():\n    pass\n"
FLYC = "import flydsl.compiler as flyc\n"


def test_what_gets_to_no_kernel_is_not_run_where_a_compile_shows_the_bug(tmp_path: Path) -> None:
    prober = Replay()
    judge = judge_of(prober, tmp_path)
    assert judge.pin(f"{NAMES}\n{FLYC}{LAUNCHED}launch()\n").interesting
    verdict = judge.judge(f"gemm_buffer64\n{FLYC}{LAUNCHED}")
    assert verdict.answer is Answer.UNINTERESTING and "kernel" in verdict.why
    assert judge.judge(f"gemm_buffer64\n{FLYC}{LAUNCHED}launch()\n").interesting
    assert (len(prober.ran), judge.statistics.rejected_statically) == (2, 1)


def test_a_bug_of_the_host_may_show_without_a_kernel(tmp_path: Path) -> None:
    prober = Replay()
    judge = judge_of(prober, tmp_path, "crash")
    assert judge.pin(f"segfault; {NAMES}\n{FLYC}{LAUNCHED}launch()\n").interesting
    assert judge.judge(f"segfault\n{FLYC}{LAUNCHED}").interesting
    assert judge.statistics.rejected_statically == 0


def test_the_journal_outlives_the_judge(tmp_path: Path) -> None:
    judge_of(Replay(), tmp_path).pin(NAMES)
    prober = Replay()
    judge = judge_of(prober, tmp_path)
    assert judge.pin(NAMES).interesting
    assert prober.ran == []
    assert (judge.statistics.compiles, judge.statistics.cache_hits) == (0, 1)


def test_a_script_that_does_not_parse_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"kernel\.py"):
        judge_of(Replay(), tmp_path).pin("def f(:\n")


def broken(probe: Probe, toolchain: Toolchain) -> Observation:
    return Observation(Outcome.BROKEN, Stage.START, "gfx942", "?", note="flydsl does not import")


def test_a_broken_toolchain_is_a_user_error_at_first(tmp_path: Path) -> None:
    prober = Replay(broken)
    with pytest.raises(UserError, match=r"0\.5\.0 cannot be used: flydsl does not import"):
        judge_of(prober, tmp_path).pin(NAMES)
    assert len(prober.ran) == 2  # tried once more


def test_a_broken_toolchain_later_on_is_unresolved_and_not_kept(tmp_path: Path) -> None:
    prober = Replay()
    judge = judge_of(prober, tmp_path)
    judge.pin(NAMES)
    prober.answer = broken
    assert judge.judge("mfma_bf16").answer is Answer.UNRESOLVED
    prober.answer = by_first_word
    assert judge.judge("mfma_bf16").answer is Answer.UNINTERESTING


def test_the_base_is_compiled_where_it_decides(tmp_path: Path) -> None:
    prober = Replay()
    judge = judge_of(prober, tmp_path, "assertion", baseline=True)
    verdict = judge.pin("vecadd_256b; nothing")
    assert verdict.answer is Answer.UNINTERESTING  # the base aborts as well
    assert [spec for _, spec in prober.ran[:2]] == ["0.5.0", "0.2.4"]
    prober.ran.clear()
    judge.judge("nothing")
    assert [spec for _, spec in prober.ran] == ["0.5.0"]


def test_first_is_what_a_rise_is_measured_from(tmp_path: Path) -> None:
    def spilling(probe: Probe, toolchain: Toolchain) -> Observation:
        kernel = recorded("block1024_spill@0.5.0").kernels[0]
        subject, baseline = (int(number) for number in probe.source.split("-"))
        count = subject if toolchain is SUBJECT else baseline
        return replace(recorded("block1024_spill@0.5.0"), kernels=(replace(kernel, vgpr_spills=count),))

    judge = judge_of(Replay(spilling), tmp_path, "spills", baseline=True)
    assert judge.pin("44-0").interesting
    assert judge.judge("3-0").interesting
    assert not judge.judge("30-2").interesting
    assert not judge.judge("3-3").interesting


def test_the_first_scripts_base_is_always_known(tmp_path: Path) -> None:
    prober = Replay()
    judge = judge_of(prober, tmp_path, "spills", baseline=True, when="vgprs > 1")
    assert judge.pin("mfma_bf16").interesting
    assert [spec for _, spec in prober.ran] == ["0.5.0", "0.2.4"]


def test_observing_more_is_a_trial_of_its_own(tmp_path: Path) -> None:
    prober = Replay()
    judge = judge_of(prober, tmp_path)
    judge.pin(NAMES)
    assert judge.ask(Question(NAMES, wants=frozenset())).shown == (recorded("gemm_buffer64@0.5.0"),)
    assert judge.statistics.compiles == 1
    judge.ask(Question(NAMES, wants=frozenset({Want.COVERAGE})))
    assert judge.statistics.compiles == 2


def test_confirming_is_cold(tmp_path: Path) -> None:
    prober = Replay()
    judge = judge_of(prober, tmp_path)
    judge.pin(NAMES)
    assert judge.confirm_cold(NAMES).interesting
    assert (prober.cold, judge.statistics.compiles) == (1, 2)
    assert not judge.confirm_cold("caught").interesting


def test_limits_follow_the_interesting_trials(tmp_path: Path) -> None:
    def slow(probe: Probe, toolchain: Toolchain) -> Observation:
        return replace(by_first_word(probe, toolchain), seconds=5.0)

    prober = Replay(slow)
    judge = judge_of(prober, tmp_path)
    judge.pin(NAMES)
    judge.judge("mfma_bf16")
    assert prober.limits == [300.0, 20.0]
    given = Replay(slow)
    (tmp_path / "given").mkdir()
    judge = judge_of(given, tmp_path / "given", timeout=7)
    judge.pin(NAMES)
    judge.judge("mfma_bf16")
    assert given.limits == [7, 7]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_what_was_tried_ahead_is_counted_when_it_is_asked(jobs: int, tmp_path: Path) -> None:
    judge = judge_of(Replay(seconds=0.01), tmp_path, jobs=jobs)
    judge.pin(NAMES)
    texts = ["mfma_bf16", "caught", "mfma_bf16", "gemm_buffer64; nothing", "+", "nothing"]
    questions = [Question(text) for text in texts]
    found = [judge.ask(question, questions[at + 1 :]) for at, question in enumerate(questions)]
    judge.close()
    assert [reply.interesting for reply in found] == [False, False, False, True, False, False]
    assert [reply.trial for reply in found] == [True, True, False, True, False, True]
    counts = judge.statistics
    assert (counts.compiles, counts.cache_hits, counts.rejected_statically) == (4, 1, 1)
    # `nothing` was tried and never reached FlyDSL, so it is no compile


def test_what_is_tried_ahead_is_cancelled(tmp_path: Path) -> None:
    prober = Replay(seconds=0.3)
    judge = judge_of(prober, tmp_path, jobs=2)
    judge.pin(NAMES)
    pulled = []

    def candidates() -> Iterator[Question]:
        for number in range(1, 10):
            pulled.append(number)
            yield Question(f"gemm_buffer64; {number}")
            prober.seconds = 5.0

    prober.seconds = 0.05
    judge.ask(Question("gemm_buffer64; 0"), candidates())
    judge.close()
    assert len(pulled) <= 3
    assert prober.most_at_once == 2
    assert prober.at_once == 0
    assert judge.statistics.candidates == 2


def test_base_and_subject_are_two_toolchains() -> None:
    assert SUBJECT.key != BASE.key


@pytest.mark.parametrize(
    ("script", "oracle", "line"),
    [
        ("gemm_buffer64", "legalization", 24),
        ("zipped_divide_none", "assertion", 10),
        ("segfault", "crash", 4),
        ("cannot_select", "crash", None),
        ("vecadd_256b", "assertion", None),
    ],
)
def test_the_line_that_a_failure_names(script: str, oracle: str, line: int | None, tmp_path: Path) -> None:
    """A crash behind tracing has the launch on its stack, which is none of what is compiled."""
    judge = judge_of(Replay(), tmp_path, oracle)
    assert judge.pin(script).interesting
    assert judge.failing_line(script) == line
