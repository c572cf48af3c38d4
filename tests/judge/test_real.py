"""The judge over the real FlyDSL that is installed."""

from __future__ import annotations

from pathlib import Path

from flybisect.case.case import Case
from flybisect.judge.judge import Judge, Setting
from flybisect.observation import Answer, Signature
from flybisect.oracle.plugin import Options
from flybisect.oracle.registry import load
from flybisect.probe.runner import Runner
from flybisect.session.journal import Journal
from flybisect.toolchain.resolve import resolve
from flybisect.toolchain.rocm import find_rocm
from flybisect.workflows.check import check

SCRIPTS = Path(__file__).parent.parent / "oracle" / "scripts"


def judge_of(runner: Runner, name: str, oracle: str, folder: Path) -> Judge:
    """For the script `name`, with the FlyDSL that is installed."""
    return Judge(
        Case(SCRIPTS / f"{name}.py", oracle=oracle),
        load(oracle).build(Options()),
        Setting(resolve("installed", folder, find_rocm(folder)), (), "gfx942"),
        None,
        runner,
        Journal(folder / f"{name}.sqlite3"),
        2,
    )


def test_real_failures_are_judged(tmp_path: Path) -> None:
    with Runner(tmp_path / "trials", 1) as runner:
        for name, oracle, code in [
            ("vecadd_256b", "assertion", 0),
            ("block1024_spill", "spills", 0),
            ("lds_over_limit", "spills", 1),
            ("dynamic_if", "legalization", 1),
            ("api", "assertion", 125),
        ]:
            judge = judge_of(runner, name, oracle, tmp_path)
            assert check(judge, (SCRIPTS / f"{name}.py").read_text()).exit_code == code, name


def test_reduction_by_hand(tmp_path: Path) -> None:
    source = (SCRIPTS / "gemm_buffer64.py").read_text()
    with Runner(tmp_path / "trials", 2) as runner:
        judge = judge_of(runner, "gemm_buffer64", "legalization", tmp_path)
        assert judge.pin(source).interesting
        assert judge.signature == Signature("legalization", "fly.copy_atom_call_ssa")
        candidates = [
            source.replace("    fx.gemm(atom, fc, fa, fb, fc)\n", ""),
            source.replace("BufferCopy64b", "NoSuchCopy"),
            source.replace("fx.rocdl.BufferCopy64b()", "fx.UniversalCopy64b()"),
            source + "# more\n",
            source.replace("M, N, K, F8 =", "M, N, F8 ="),
        ]
        answers = [judge.judge(each).answer for each in candidates]
        assert answers[0] is Answer.INTERESTING
        assert answers[1] is Answer.UNRESOLVED
        assert answers[2] is Answer.UNINTERESTING
        assert answers[3] is Answer.INTERESTING
        assert answers[4] is Answer.UNINTERESTING
        assert judge.statistics.cache_hits == 1
        assert judge.statistics.rejected_statically == 1
        assert judge.confirm_cold(candidates[0]).interesting
