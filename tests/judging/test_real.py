"""The judge over the real FlyDSL that is installed."""

from __future__ import annotations

from pathlib import Path

from flybisect.case import Case
from flybisect.journal import Journal
from flybisect.judge import Judge, Setting
from flybisect.observation import Answer, Signature
from flybisect.oracle import Options
from flybisect.plugins import load
from flybisect.probe.runner import Runner
from flybisect.toolchain.resolve import resolve
from flybisect.toolchain.rocm import find_rocm

SCRIPT = Path(__file__).parent.parent / "oracles" / "scripts" / "gemm_buffer64.py"


def test_reduction_by_hand(tmp_path: Path) -> None:
    source = SCRIPT.read_text()
    setting = Setting(resolve("installed", tmp_path, find_rocm(tmp_path)), (), "gfx942")
    with Runner(tmp_path / "trials", 2) as runner:
        judge = Judge(
            Case(SCRIPT, oracle="legalization"),
            load("legalization").build(Options()),
            setting,
            None,
            runner,
            Journal(tmp_path / "journal.sqlite3"),
            2,
        )
        assert judge.pin(source).interesting
        assert judge.signature == Signature("legalization", "fly.copy_atom_call_ssa")
        candidates = [
            source.replace("    fx.gemm(atom, fc, fa, fb, fc)\n", ""),
            source.replace("BufferCopy64b", "NoSuchCopy"),
            source.replace("fx.rocdl.BufferCopy64b()", "fx.UniversalCopy64b()"),
            source + "# more\n",
            source.replace("M, N, K, F8 =", "M, N, F8 ="),
        ]
        answers = [verdict.answer for _, verdict in judge.verdicts(candidates)]
        assert answers[0] is Answer.INTERESTING
        assert answers[1] is Answer.UNRESOLVED
        assert answers[2] is Answer.UNINTERESTING
        assert answers[3] is Answer.INTERESTING
        assert answers[4] is Answer.UNINTERESTING
        assert judge.counts.cache_hits == 1
        assert judge.counts.rejected_statically == 1
        assert judge.confirm_cold(candidates[0]).interesting
