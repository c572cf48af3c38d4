"""A reduction that follows a figure keeps the smallest script that shows the symptom, too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from flybisect.case.case import Case
from flybisect.judge.judge import Judge, Setting
from flybisect.observation import Observation, Probe
from flybisect.oracle.follow import following
from flybisect.oracle.plugin import Options
from flybisect.oracle.registry import load
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.session.session import Session, open_session
from flybisect.toolchain.model import Toolchain
from flybisect.workflows.symptom import SymptomKeeper
from tests.judge.replay import BASE, SUBJECT, Replay
from tests.oracle.test_differences import recast_iter


def answer(probe: Probe, toolchain: Toolchain) -> Observation:
    """Of a script `spills = N; …`: the kernel of seeds/recast_iter with so many spills."""
    seen = recast_iter()
    if toolchain is BASE:
        assert seen.baseline is not None
        return seen.baseline
    spills = int(probe.source.partition("spills = ")[2].split(";")[0])
    return replace(seen.subject, kernels=(replace(seen.subject.kernels[0], vgpr_spills=spills),))


def judge_of(session: Session, prober: Replay, figure: str | None) -> Judge:
    options = Options(compares=True)
    return Judge(
        session.case,
        following(load("spills").build(options), figure, options),
        Setting(SUBJECT, (), "gfx950"),
        Setting(BASE, (), "gfx950"),
        prober,
        session.journal,
    )


def test_the_smallest_script_with_the_symptom_is_kept(tmp_path: Path) -> None:
    case = Case(script=tmp_path / "kernel.py", oracle="spills", figure="auto")
    prober = Replay(answer)
    with open_session(tmp_path, case, "", ()) as session:
        judge = judge_of(session, prober, "auto")
        first = "spills = 38; a = 1; b = 2; c = 3"
        assert judge.pin(first).interesting
        keeper = SymptomKeeper(judge, session)
        steps: list[ReductionStep] = []
        note = keeper.noting(steps.append)
        texts = ["spills = 38; a = 1; b = 2", "spills = 5; a = 1", "spills = 0"]
        for text in texts:
            assert judge.judge(text).interesting, "the cause is still there"
            note(ReductionStep("statements", text))
        ran = len(prober.ran)
        note(ReductionStep("comments", "spills = 7"))
        note(ReductionStep("statements", "spills = 8; a = 1", confirmed=False))
        assert len(prober.ran) == ran, "what was not judged is not compiled for this"
        assert [step.text for step in steps[:3]] == texts
        assert session.symptom_path.read_text() == "spills = 5; a = 1"
        evidence, _ = judge.observe("spills = 0")
        found = keeper.followed(evidence)
        assert found is not None
        assert not found.left
        data = json.loads(json.dumps(found.to_dict()))
        assert data["figure"] == 'bases("ds_read_b64_tr_b16")'
        assert (data["this"], data["base"], data["kind"]) == (34, 2, "structure")
        assert (data["symptom"], data["symptom_left"], data["symptom_statements"]) == ("spills", False, 2)
        assert data["symptom_script"] == str(session.symptom_path)
        still, _ = judge.observe("spills = 5; a = 1")
        both = keeper.followed(still)
        assert both is not None
        assert both.left
        assert both.script is None


def test_without_a_figure_nothing_is_kept(tmp_path: Path) -> None:
    case = Case(script=tmp_path / "kernel.py", oracle="spills")
    with open_session(tmp_path, case, "", ()) as session:
        judge = judge_of(session, Replay(answer), None)
        assert judge.pin("spills = 38; a = 1").interesting
        keeper = SymptomKeeper(judge, session)
        keeper.noting(lambda step: None)(ReductionStep("statements", "spills = 38"))
        assert not session.symptom_path.exists()
        assert keeper.followed(judge.observe("spills = 38")[0]) is None
