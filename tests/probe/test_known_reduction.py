"""A reduction comes to the same, whether or not what was compiled before answers its trials."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from flybisect.case.case import Case
from flybisect.judge.judge import Judge
from flybisect.judge.statistics import Statistics
from flybisect.probe.runner import Runner
from flybisect.reduce.passes import PASSES
from flybisect.session.session import open_session
from flybisect.toolchain.store import silent
from flybisect.workflows import reduce as reducing
from flybisect.workflows.prepare import PreparedCase, prepare

SEED = Path(__file__).parents[2] / "seeds" / "buffer_copy"


def _reduced(bench: PreparedCase, folder: Path, *, remembering: bool) -> tuple[str, Statistics]:
    with (
        open_session(folder / "sessions", bench.case, bench.source, bench.toolchain_keys) as session,
        Runner(folder / "trials", 1, session.journal if remembering else None) as runner,
        closing(Judge(bench.case, bench.oracle, bench.subject, bench.base, runner, session.journal)) as judge,
    ):
        reducing.pin(judge, bench.source, "", ())
        return reducing.search(judge, session, bench.source, PASSES, lambda step: None).text, judge.statistics


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_reduction_comes_to_the_same(tmp_path: Path) -> None:
    bench = prepare(Case(SEED, workdir=tmp_path, jobs=1), silent)
    plain, counted = _reduced(bench, tmp_path / "plain", remembering=False)
    text, counts = _reduced(bench, tmp_path / "known", remembering=True)
    assert text == plain
    assert (counts.repeated, counted.replayed) == (0, 0)
    assert counts.replayed == counted.repeated > 0
    assert counts.compiles + counts.replayed == counted.compiles
    assert counts.candidates == counted.candidates
