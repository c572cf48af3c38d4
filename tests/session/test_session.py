from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from flybisect.case.atomic_file import read_text, write_text
from flybisect.case.case import Case, load
from flybisect.errors import UserError
from flybisect.session.session import open_session


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path / "kernel.py", ("raw",), "gfx942", oracle="spills")


def test_a_session_goes_on_where_it_stopped(case: Case, tmp_path: Path) -> None:
    with open_session(tmp_path, case, "x = 1\r\n", ["key"]) as session:
        assert session.folder.parent == tmp_path / "sessions"
        assert session.folder.name.startswith("kernel-")
        assert session.best() is None
        assert session.result() is None
        session.save_best("x = 2\r\n")
        session.save_result({"minimal": True})
        session.journal.note("a", "b")
    with open_session(tmp_path, case, "x = 1\r\n", ["key"]) as again:
        assert again.folder == session.folder
        assert again.best() == "x = 2\r\n"
        assert again.result() == {"minimal": True}
        assert again.journal.noted("a") == "b"
        assert load(again.folder / "case.yaml") == case
        assert (again.folder / "input.py").read_bytes() == b"x = 1\r\n"
        assert again.warnings == ()


def test_what_changes_the_answer_is_another_session(case: Case, tmp_path: Path) -> None:
    folders = set()
    for changed, source, key in [
        (case, "x", "key"),
        (case, "y", "key"),
        (case, "x", "key2"),
        (replace(case, argv=()), "x", "key"),
        (replace(case, when="vgprs > 1"), "x", "key"),
    ]:
        with open_session(tmp_path, changed, source, [key]) as session:
            folders.add(session.folder)
    assert len(folders) == 5


def test_two_runs_cannot_have_one_session(case: Case, tmp_path: Path) -> None:
    with (
        open_session(tmp_path, case, "x", []),
        pytest.raises(UserError, match=f"process {os.getpid()}"),
    ):
        open_session(tmp_path, case, "x", [])
    open_session(tmp_path, case, "x", []).close()


HOLDER = """
import sys, time
from pathlib import Path
from flybisect.case.case import Case
from flybisect.session.session import open_session
folder = Path(sys.argv[1])
session = open_session(folder, Case(folder / "kernel.py", ("raw",), "gfx942", oracle="spills"), "x", [])
session.save_best("x")
print("held", flush=True)
time.sleep(60)
"""


def test_a_run_that_was_killed_holds_nothing(case: Case, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parent.parent.parent,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    with pytest.raises(UserError, match=f"process {process.pid}"):
        open_session(tmp_path, case, "x", [])
    process.kill()
    process.wait()
    with open_session(tmp_path, case, "x", []) as session:
        assert session.best() == "x"


def test_a_damaged_journal_is_a_warning(case: Case, tmp_path: Path) -> None:
    with open_session(tmp_path, case, "x", []) as session:
        path = session.journal.path
    path.write_bytes(b"damage" * 1000)
    with open_session(tmp_path, case, "x", []) as session:
        (warning,) = session.warnings
        assert "damaged-1" in warning


def test_a_damaged_result_is_none(case: Case, tmp_path: Path) -> None:
    with open_session(tmp_path, case, "x", []) as session:
        session.result_path.write_text("{")
        assert session.result() is None


def test_a_workdir_that_is_a_file_is_a_user_error(case: Case, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        open_session(tmp_path / "file", case, "x", [])


def test_writing_keeps_every_byte(tmp_path: Path) -> None:
    text = b"a\r\nb\rc\n\xff\xfe \xc3\xa9".decode("utf-8", "surrogateescape")
    write_text(tmp_path / "f", text)
    assert read_text(tmp_path / "f") == text
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
