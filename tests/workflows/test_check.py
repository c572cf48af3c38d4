from __future__ import annotations

import json
from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.observation import Observation, Outcome, Probe, Stage
from flybisect.oracle.hint import fitting_oracles, why_uninteresting
from flybisect.oracle.registry import listing
from flybisect.toolchain.model import Toolchain
from flybisect.workflows.check import check
from tests.judge.replay import Replay, judge_of


def broken(probe: Probe, toolchain: Toolchain) -> Observation:
    return Observation(Outcome.BROKEN, Stage.START, "gfx942", "?", note="no import")


@pytest.mark.parametrize(
    ("script", "oracle", "code"),
    [
        ("gemm_buffer64", "legalization", 0),
        ("gemm_buffer128", "legalization", 1),
        ("mfma_bf16", "legalization", 1),
        ("api", "legalization", 125),
        ("vecadd_256b", "assertion", 0),
        ("block1024_spill", "spills", 0),
        ("mfma_bf16", "spills", 1),
        ("gemm_buffer64", "spills", 125),
    ],
)
def test_exit_codes(script: str, oracle: str, code: int, tmp_path: Path) -> None:
    assert check(judge_of(Replay(), tmp_path, oracle), script).exit_code == code


def test_a_broken_toolchain_is_skipped_by_git_bisect(tmp_path: Path) -> None:
    assert check(judge_of(Replay(broken), tmp_path), "mfma_bf16").exit_code == 125


def test_json(tmp_path: Path) -> None:
    found = json.loads(json.dumps(check(judge_of(Replay(), tmp_path), "gemm_buffer64").to_dict()))
    assert found["verdict"] == "interesting"
    assert found["oracle"] == "legalization"
    assert found["signature"] == "legalization: fly.copy_atom_call_ssa"
    assert found["metrics"] == {}
    assert found["observation"]["flydsl"] == "0.5.0"


@pytest.mark.parametrize(
    ("signature", "code"),
    [
        ("fly.copy_atom_call_ssa", 0),
        ("legalization: fly.copy_atom_call_ssa", 0),
        ("fly.copy_atom_call", 1),
    ],
)
def test_a_given_signature_is_insisted_on(signature: str, code: int, tmp_path: Path) -> None:
    assert check(judge_of(Replay(), tmp_path), "gemm_buffer64", signature).exit_code == code


def test_a_script_that_does_not_parse(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        check(judge_of(Replay(), tmp_path), "def f(:")


@pytest.mark.parametrize(
    ("script", "oracle", "words"),
    [
        ("gemm_buffer64", "spills", ["fly.copy_atom_call_ssa", "--oracle legalization"]),
        ("vecadd_256b", "legalization", ["Invalid cast!", "--oracle assertion"]),
        ("block1024_spill", "assertion", ["vgpr_spills 104", "--oracle spills"]),
        ("mfma_bf16", "spills", ["vgprs 36", "vgpr_spills 0", "--when"]),
        ("gemm_buffer128", "legalization", ["'ub.poison' op register", "--oracle verifier"]),
        ("nothing", "legalization", ["compiled no kernel"]),
        ("dynamic_if", "spills", ["cannot evaluate dynamic"]),
    ],
)
def test_explanations(script: str, oracle: str, words: list[str], tmp_path: Path) -> None:
    judge = judge_of(Replay(), tmp_path, oracle)
    evidence, verdict = judge.observe(script)
    text = why_uninteresting("kernel.py", oracle, verdict, evidence, listing().plugins)
    assert "\n" not in text
    for word in ("kernel.py", oracle, *words):
        assert word in text


def test_the_base_is_explained_too(tmp_path: Path) -> None:
    judge = judge_of(Replay(), tmp_path, "assertion", baseline=True)
    evidence, verdict = judge.observe("vecadd_256b")
    text = why_uninteresting("kernel.py", "assertion", verdict, evidence, listing().plugins)
    assert "the same under the baseline" in text
    assert fitting_oracles(evidence, listing().plugins) == []
