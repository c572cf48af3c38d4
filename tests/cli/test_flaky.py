"""A script that shows its bug by chance, bisected over real releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Ran, Run
from tests.releases import sharing_releases

pytestmark = pytest.mark.timeout(600)

SEED = Path(__file__).parents[2] / "seeds" / "buffer_copy" / "gemm_vgpr_compare.py"
BY_CHANCE = 'import sys; sys.argv[1:] = ["gemm" if os.urandom(1)[0] < 150 else "raw"]; main()\n'
"""Which of its two kernels is compiled: only `gemm` has 28 VGPRs, from 0.3.1 on."""


@pytest.mark.release
def test_a_bug_that_shows_by_chance_is_judged_by_repeats(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "chance.py"
    script.write_text(SEED.read_text().replace('if __name__ == "__main__":\n    main()\n', BY_CHANCE))
    ran = _noticed(run, script, tmp_path)
    assert ran.code == 0, ran.err
    assert (ran.data["last_good"], ran.data["first_bad"]) == ("0.3.0", "0.3.1")
    repeats, tests = ran.data["repeats"], {test["name"]: test for test in ran.data["tests"]}
    assert [each["name"] for each in repeats["flipping"]] == ["0.3.1"]
    assert repeats["flipping"][0]["runs"] == tests["0.3.1"]["runs"] == 20
    assert repeats["missed"] == 0.01
    assert tests["0.3.0"]["runs"] == repeats["runs"] > 1
    assert tests["0.3.0"]["shown"] == 0
    assert tests["0.3.1"]["metrics"]["vgprs"] == 28
    assert "of 20 runs" in ran.err


def _noticed(run: Run, script: Path, folder: Path) -> Ran:
    """Once in three times it shows in each of the first runs, or in none; then another session is begun."""
    for number in range(8):
        workdir = sharing_releases(folder / f"{number}")
        words = ("--case", script, "--oracle", "vgprs", "--when", "vgprs > 27", "--arch", "gfx942")
        ran = run("releases", "0.2.4..0.3.1", *words, "--workdir", workdir, "--json")
        if ran.code == 0 and ran.data["repeats"]["flipping"]:
            break
        assert ran.code == 0 or "no boundary between" in ran.err or "too low" in ran.err
    return ran
