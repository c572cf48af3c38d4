from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from flybisect.observation import Outcome, Probe
from flybisect.probe import files_read
from flybisect.session.journal import Journal
from flybisect.toolchain.model import Toolchain
from tests.oracle.recorded import recorded

ONE = Toolchain("0.5.0", "release", "key-1", "0.5.0", Path("python"))
OTHER = replace(ONE, key="key-2")
PROBE = Probe("x = 1\n", "kernel.py", "gfx942", timeout=10.0, memory=1000)
SEEN = recorded("gemm_buffer64@0.5.0")


def test_what_is_recorded_is_recalled_by_the_next_run(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite3")
    assert journal.recall(ONE, PROBE) is None
    journal.record(ONE, PROBE, SEEN)
    journal.note("phase", "statements")
    journal.close()
    again = Journal(tmp_path / "j.sqlite3")
    assert again.recall(ONE, PROBE) == SEEN
    assert again.recall(OTHER, PROBE) is None
    assert again.recall(ONE, replace(PROBE, argv=("a",))) is None
    assert again.noted("phase") == "statements"
    assert again.noted("other") is None
    assert len(again) == 1
    assert again.warnings == []


@pytest.mark.parametrize(
    ("outcome", "more"),
    [(Outcome.TIMEOUT, replace(PROBE, timeout=11.0)), (Outcome.MEMORY, replace(PROBE, memory=1001))],
)
def test_what_a_limit_ended_holds_for_limits_as_tight(outcome: Outcome, more: Probe, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite3")
    journal.record(ONE, PROBE, replace(SEEN, outcome=outcome))
    assert journal.recall(ONE, PROBE) is not None
    assert journal.recall(ONE, replace(PROBE, timeout=1.0, memory=10)) is not None
    assert journal.recall(ONE, more) is None


def test_a_broken_toolchain_is_not_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite3")
    journal.record(ONE, PROBE, replace(SEEN, outcome=Outcome.BROKEN))
    assert len(journal) == 0


def test_what_the_script_read_has_to_be_the_same(tmp_path: Path) -> None:
    probe, module = replace(PROBE, folder=tmp_path), tmp_path / "helper.py"
    module.write_text("x = 1\n")
    seen = replace(SEEN, files=files_read.digests(tmp_path, [str(module)]))
    journal = Journal(tmp_path / "j.sqlite3")
    journal.record(ONE, probe, seen)
    assert journal.recall(ONE, probe) == seen
    module.write_text("x = 2\n")
    assert journal.recall(ONE, probe) is None
    anew = replace(SEEN, files=files_read.digests(tmp_path, [str(module)]))
    journal.record(ONE, probe, anew)
    assert journal.recall(ONE, probe) == anew


def test_several_threads(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite3")

    def work(number: int) -> None:
        for each in range(20):
            probe = replace(PROBE, source=f"{number} {each}")
            journal.record(ONE, probe, SEEN)
            assert journal.recall(ONE, probe) == SEEN

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(journal) == 80


def filled(path: Path, count: int = 200) -> None:
    journal = Journal(path)
    for number in range(count):
        journal.record(ONE, replace(PROBE, source=f"{number}"), SEEN)
    journal.close()


@pytest.mark.parametrize(
    "damage", ["truncated", "overwritten", "no database", "another version", "empty file"]
)
def test_a_damaged_journal_is_moved_aside(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite3"
    filled(path)
    whole = path.read_bytes()
    if damage == "truncated":
        path.write_bytes(whole[: len(whole) // 2 + 77])
    elif damage == "overwritten":
        path.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    elif damage == "no database":
        path.write_text("not a database at all, and long enough to be looked at\n" * 99)
    elif damage == "another version":
        db = sqlite3.connect(path)
        db.execute("PRAGMA user_version = 7")
        db.commit()
        db.close()
    else:
        path.write_bytes(b"")
    journal = Journal(path)
    journal.record(ONE, PROBE, SEEN)
    assert journal.recall(ONE, PROBE) == SEEN
    assert len(journal) == 1
    if damage == "empty file":
        assert journal.warnings == []
    else:
        (warning,) = journal.warnings
        assert "moved to j.sqlite3.damaged-1" in warning
        assert (tmp_path / "j.sqlite3.damaged-1").exists()


def test_damage_that_shows_later_is_mended_too(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite3"
    filled(path)
    journal = Journal(path)
    journal._db.execute("PRAGMA shrink_memory")  # pages that the check at opening left in memory
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 400_000)
    for number in range(0, 200, 7):
        probe = replace(PROBE, source=f"{number}")
        if journal.recall(ONE, probe) is None:
            journal.record(ONE, probe, SEEN)
        assert journal.recall(ONE, probe) == SEEN
    assert len(journal.warnings) == 1


@pytest.mark.parametrize(("kept", "least"), [(0.3, 1), (0.6, 20), (0.95, 250)])
def test_what_can_be_read_in_a_truncated_journal_is_found(tmp_path: Path, kept: float, least: int) -> None:
    path = tmp_path / "j.sqlite3"
    filled(path, 400)
    with path.open("r+b") as file:
        file.truncate(int(path.stat().st_size * kept))
    for _ in range(2):  # the next run looks there too
        journal = Journal(path)
        found = [journal.recall(ONE, replace(PROBE, source=f"{number}")) for number in range(400)]
        journal.close()
        assert {each for each in found if each is not None} == {SEEN}
        assert sum(each is not None for each in found) >= least


def test_an_entry_that_is_no_observation_is_as_if_not_there(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    journal.record(ONE, PROBE, SEEN)
    db = sqlite3.connect(path)
    db.execute("UPDATE observations SET observation = x'00'")
    db.commit()
    db.close()
    assert journal.recall(ONE, PROBE) is None


WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from flybisect.case.atomic_file import write_text
from tests.session.test_journal import ONE, PROBE, SEEN
from flybisect.session.journal import Journal
folder = Path(sys.argv[1])
journal = Journal(folder / "j.sqlite3")
number = 0
while True:
    journal.record(ONE, replace(PROBE, source=str(number)), SEEN)
    write_text(folder / "best.py", f"x = {number}\\n" * 2000)
    print(number, flush=True)
    number += 1
"""


def test_a_kill_in_the_middle_of_writing_loses_nothing(tmp_path: Path) -> None:
    for already in (5, 40):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent.parent.parent,
        )
        assert process.stdout is not None
        said = 0
        for line in process.stdout:
            said = int(line)
            if said >= already:
                break
        process.kill()
        rest = process.stdout.read().split()
        process.wait()
        said = int(rest[-1]) if rest else said
        journal = Journal(tmp_path / "j.sqlite3")
        assert journal.warnings == []
        assert all(journal.recall(ONE, replace(PROBE, source=str(n))) == SEEN for n in range(said + 1))
        journal.close()
        lines = (tmp_path / "best.py").read_text().splitlines()
        assert len(lines) == 2000
        assert len(set(lines)) == 1
        assert int(lines[0].removeprefix("x = ")) >= said
