"""Which sessions there are, and which one a name means."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from flybisect.case.case import Case
from flybisect.errors import UserError
from flybisect.session.listing import bisections_of, session_named, sessions
from flybisect.session.parts import Part, save_part
from flybisect.session.session import open_session


def made(workdir: Path, script: str, at: float, result: dict[str, Any] | None = None, best: str = "") -> Path:
    """A session that was last at work `at` seconds after the epoch."""
    with open_session(workdir, Case(workdir / script, oracle="spills"), "x = 1\n", []) as session:
        if result is not None:
            session.save_result(result)
        if best:
            session.save_best(best)
    for path in session.folder.iterdir():
        os.utime(path, (at, at))
    return session.folder


def test_none(tmp_path: Path) -> None:
    assert sessions(tmp_path) == []
    with pytest.raises(UserError, match="no session"):
        session_named(None, tmp_path)
    with pytest.raises(UserError, match="kernel"):
        session_named("kernel", tmp_path)


def test_the_latest_stands_last_and_is_meant_without_a_name(tmp_path: Path) -> None:
    new, old = (
        made(tmp_path, "new.py", 2000, {"output": "a"}),
        made(tmp_path, "old.py", 1000, {"output": "b"}),
    )
    assert [entry.folder for entry in sessions(tmp_path)] == [old, new]
    assert session_named(None, tmp_path).folder == new
    unfinished = made(tmp_path, "unfinished.py", 3000)
    assert sessions(tmp_path)[-1].folder == unfinished
    assert session_named(None, tmp_path).folder == new
    assert sessions(tmp_path)[-1].changed == 3000


def test_without_any_result_the_last_is_meant(tmp_path: Path) -> None:
    made(tmp_path, "a.py", 1000)
    last = made(tmp_path, "b.py", 2000)
    assert session_named(None, tmp_path).folder == last


def test_a_name_or_what_it_begins_with(tmp_path: Path) -> None:
    one, other = made(tmp_path, "kernel.py", 1000), made(tmp_path, "kernels.py", 2000)
    assert session_named(one.name, tmp_path).folder == one
    assert session_named("kernels", tmp_path).folder == other
    assert session_named(str(one), tmp_path / "nowhere").folder == one
    with pytest.raises(UserError, match=other.name):
        session_named("kernel", tmp_path)
    with pytest.raises(UserError, match=one.name):
        session_named("other", tmp_path)


def test_what_a_session_came_to(tmp_path: Path) -> None:
    at = iter(range(1000, 2000))
    folders = {
        "unfinished": made(tmp_path, "a.py", next(at)),
        "reduced": made(tmp_path, "b.py", next(at), {"output": "b.min.py"}),
        "bisected": made(tmp_path, "c.py", next(at), {"releases": {}}),
        "run": made(tmp_path, "d.py", next(at), {"output": "d.min.py"}),
    }
    save_part(folders["run"], Part.STEPS, [])
    commits = made(tmp_path, "e.py", next(at), {"commits": {}, "output": "e"}, best="x")
    started = made(tmp_path, "f.py", next(at), best="x")
    found = {entry.folder: entry for entry in sessions(tmp_path)}
    assert {state: found[folder].state for state, folder in folders.items()} == {
        state: state for state in folders
    }
    assert found[commits].bisects and not found[commits].reduces
    assert found[started].reduces and not found[started].bisects and found[started].state == "unfinished"
    assert not found[folders["unfinished"]].reduces and found[folders["reduced"]].reduces


def test_what_can_not_be_read_is_left_out(tmp_path: Path) -> None:
    whole, damaged = made(tmp_path, "a.py", 1000, {"output": "x"}), made(tmp_path, "b.py", 2000)
    (damaged / "case.yaml").write_text("script: [")
    (tmp_path / "sessions" / "empty").mkdir()
    (whole / "result.json").write_text("[1]")
    (entry,) = sessions(tmp_path)
    assert entry.folder == whole
    assert entry.result == {}


def test_bisections_of_a_script(tmp_path: Path) -> None:
    wanted = made(tmp_path, "a.py", 1000, {"releases": {}})
    made(tmp_path, "b.py", 2000, {"releases": {}})
    reduced = tmp_path / "c.py"
    made(tmp_path, "c.py", 3000, {"output": "x"})
    every = sessions(tmp_path)
    assert [each.folder for each in bisections_of([tmp_path / "a.py", reduced], every)] == [wanted]
    assert bisections_of([], every) == []
