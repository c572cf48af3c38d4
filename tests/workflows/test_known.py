"""What an earlier search over releases says about a case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from flybisect.case.case import Case
from flybisect.case.flattened_script import FlattenedScript
from flybisect.session.known_boundaries import KnownBoundaries, known_boundary
from flybisect.session.session import open_session

TEXT = "x = 1\n"
SCRIPT = FlattenedScript(TEXT, TEXT)
FIXED = {"find": "fix", "last_bad": "0.2.4", "first_good": "0.3.0", "tests": []}


def searched(workdir: Path, case: Case, releases: dict[str, Any], text: str = TEXT) -> None:
    with open_session(workdir, replace(case, flydsl="installed"), text, ("bisection",)) as session:
        session.save_result({"releases": releases})


def test_that_of_the_same_script_and_question(tmp_path: Path) -> None:
    case = Case(tmp_path / "k.py", ("a",), "gfx942", "0.2.4", "legalization")
    assert known_boundary(tmp_path, case, SCRIPT) is None
    searched(tmp_path, case, FIXED)
    assert known_boundary(tmp_path, case, SCRIPT) == KnownBoundaries(None, ("0.2.4", "0.3.0"))
    assert known_boundary(tmp_path, replace(case, oracle="auto"), SCRIPT) is not None
    for other in (
        replace(case, argv=()),
        replace(case, arch="gfx950"),
        replace(case, oracle="spills"),
        replace(case, when="vgprs > 3"),
        replace(case, script=tmp_path / "other.py"),
    ):
        assert known_boundary(tmp_path, other, SCRIPT) is None
    assert known_boundary(tmp_path, case, FlattenedScript("x = 2\n", "x = 2\n")) is None


def test_neighbours_and_what_is_fixed() -> None:
    known = KnownBoundaries(("0.2.1", "0.2.2"), ("0.2.4", "0.3.0"))
    assert known.neighbours == ("0.2.1", "0.3.0")
    fixed = [version for version in ("0.2.2", "0.2.4", "0.3.0", "0.5.0") if known.fixed_before(version)]
    assert fixed == ["0.3.0", "0.5.0"]
    assert not KnownBoundaries(("0.2.1", "0.2.2"), None).fixed_before("0.5.0")
    assert not known.fixed_before("a folder")
