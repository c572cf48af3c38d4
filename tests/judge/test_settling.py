"""What an oracle may ask of a judge: to become another, to be bounded by a good run, to have other words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from flybisect.case.case import Case
from flybisect.judge.judge import Judge, Setting
from flybisect.judge.question import Question
from flybisect.observation import Observation, Outcome, Probe, Stage
from flybisect.session.journal import Journal
from flybisect.toolchain.model import Toolchain
from flybisect.workflows.prepare import options_of, plugin_of
from tests.judge.replay import (
    BASE,
    SUBJECT,
    Replay,
    judge_of,
)
from tests.oracle.recorded import recorded

NAMES = "gemm_buffer64; gemm_buffer128; dynamic_if; launcher_if; vector_list; scaled; zipped_divide_none"


def judge_for(prober: Replay, folder: Path, oracle: str, case: Case, toolchain: Toolchain = SUBJECT) -> Judge:
    case = replace(case, script=folder / "kernel.py", oracle=oracle)
    built = plugin_of(case, oracle).build(options_of(case))
    return Judge(case, built, Setting(toolchain, (), "gfx942"), None, prober, Journal(folder / "j.sqlite3"))


def test_auto_becomes_another_oracle_when_it_is_pinned(tmp_path: Path) -> None:
    judge = judge_of(Replay(), tmp_path, "auto")
    assert judge.pin(NAMES).interesting
    assert judge.oracle.name == "legalization"
    for other in ("gemm_buffer128", "dynamic_if", "zipped_divide_none"):
        assert not judge.judge(other).interesting


def test_auto_stays_where_nothing_was_found(tmp_path: Path) -> None:
    judge = judge_of(Replay(), tmp_path, "auto")
    assert not judge.pin("scaled").interesting
    assert judge.oracle.name == "auto"


def test_an_exception_in_the_launcher_is_another_bug(tmp_path: Path) -> None:
    judge = judge_of(Replay(), tmp_path, "auto")
    assert judge.pin(f"dynamic_if; {NAMES}").interesting
    verdict = judge.judge("launcher_if")
    assert not verdict.interesting
    assert "another bug" in verdict.why


def test_same_as_holds_against_what_was_pinned(tmp_path: Path) -> None:
    case = Case(same_as=("'ub.poison' op",))
    judge = judge_for(Replay(), tmp_path, "legalization", case)
    assert judge.pin(NAMES).interesting
    verdict = judge.judge("gemm_buffer128")
    assert verdict.interesting
    assert verdict.signature == judge.signature
    assert "'ub.poison' op" in str(verdict.signature)
    assert not judge.judge("zipped_divide_none").interesting
    assert not judge.also_seen.keys() & {verdict.signature}


def test_the_stage_and_the_command_reach_the_probes(tmp_path: Path) -> None:
    asked: list[Probe] = []

    def answer(probe: Probe, toolchain: Toolchain) -> Observation:
        asked.append(probe)
        return Observation(Outcome.OK, Stage.START, "gfx942", "0.5.0", exit_code=0)

    judge = judge_for(Replay(answer), tmp_path, "command", Case(command="./judge"))
    assert judge.pin("x = 1\n").interesting
    judge.ask(Question("x = 1\n", wants=frozenset()))
    assert [probe.command for probe in asked] == ["./judge", None]
    judge_for(Replay(answer), tmp_path, "ir", Case(pattern="x", stage="last")).observe("x = 1\n")
    assert asked[-1].stage == "last"


def test_probes_that_show_different_things_have_different_keys() -> None:
    probe = Probe("x", "x.py", "gfx942")
    changed = (
        replace(probe, command="a"),
        replace(probe, command="b"),
        replace(probe, wants=frozenset({*probe.wants})),
    )
    assert len({probe.key(), *(each.key() for each in changed)}) == 3


@pytest.mark.parametrize(("seconds", "limit"), [(3.0, 30.0), (0.5, 10.0)])
def test_a_hang_is_bounded_by_the_base(tmp_path: Path, seconds: float, limit: float) -> None:
    def answer(probe: Probe, toolchain: Toolchain) -> Observation:
        if toolchain is BASE:
            return replace(recorded("vector_list@0.5.0"), seconds=seconds, peak_mib=600)
        return recorded("vector_list@0.2.4")

    prober = Replay(answer)
    judge = judge_of(prober, tmp_path, "hang", baseline=True)
    assert judge.pin("vector_list").interesting
    assert [spec for _, spec in prober.ran][:2] == ["0.2.4", "0.5.0"]
    assert prober.limits[1] == limit
    judge.judge("vector_list; scaled")
    assert prober.limits[-1] == limit


def test_a_given_limit_goes_before_a_learned_one(tmp_path: Path) -> None:
    prober = Replay(lambda probe, toolchain: recorded("vector_list@0.5.0"))
    judge_of(prober, tmp_path, "hang", baseline=True, timeout=7).observe("vector_list")
    assert set(prober.limits) == {7}
