"""Random scripts with a known needle through the real compiler: the needle is what is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from flybisect.case.case import Case
from flybisect.judge.trials import NoMemory
from flybisect.reduce.passes import PASSES
from flybisect.reduce.reducer import Reducer
from flybisect.source.source import count_statements
from flybisect.workflows.prepare import prepare
from tests.reduce.needles import NEEDLES, Needle, script


@pytest.mark.parametrize("needle", NEEDLES, ids=lambda needle: str(needle.name))
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_the_needle_is_what_is_left(needle: Needle, seed: int, tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(script(needle, seed, statements=30))
    bench = prepare(
        Case(path, oracle=needle.oracle, arch="gfx942", workdir=tmp_path / "workdirs", jobs=2), print
    )
    with bench.judge(NoMemory()) as judge:
        before = judge.pin(bench.source)
        assert before.interesting, before.why
        reduced = Reducer(judge, PASSES).run(bench.source)
        after = judge.confirm_cold(reduced.text)
        assert after.interesting and after.signature == before.signature, reduced.text
    assert reduced.minimal
    assert all(part in reduced.text for part in needle.core), reduced.text
    assert "helper_" not in reduced.text and "argparse" not in reduced.text, reduced.text
    assert count_statements(reduced.text) <= needle.most, reduced.text
