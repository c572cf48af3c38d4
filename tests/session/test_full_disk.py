"""A disk that fills up while a session is written: what was said to be kept is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

ON_A_SMALL_DISK = """
import os
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path

from flybisect.case.atomic_file import read_text, write_text
from flybisect.session.journal import Journal
from flybisect.probe.inside import kernel
from tests.session.test_journal import ONE, PROBE, SEEN

folder = sys.argv[1]
user, group = os.geteuid(), os.getegid()
try:
    kernel.unshare(kernel.NEW_MOUNTS)
except PermissionError:
    try:
        kernel.unshare(kernel.NEW_USER | kernel.NEW_MOUNTS)
    except OSError:
        sys.exit(77)
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
try:
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("small", folder, "tmpfs", 0, "size=3m")
except OSError:
    sys.exit(77)

disk = Path(folder)
kept, best = 0, -1
for ballast in range(3):
    (disk / "ballast").write_bytes(bytes(1 << 20))
    journal = Journal(disk / "j.sqlite3")
    full = False
    try:
        while kept < 5000:
            number = kept
            seen = replace(SEEN, stderr=os.urandom(2000).hex())
            journal.record(ONE, replace(PROBE, source=str(number)), seen)
            kept += 1
            write_text(disk / "best.py", f"x = {number}\\n" * 20000)
            best = number
    except (OSError, sqlite3.OperationalError) as error:
        assert "full" in str(error) or "No space" in str(error) or "I/O" in str(error), error
        full = True
    assert full
    try:
        journal.close()
    except sqlite3.Error:
        pass
    if (disk / "best.py").exists():
        lines = read_text(disk / "best.py").splitlines()
        assert len(lines) == 20000 and len(set(lines)) == 1
        assert int(lines[0].removeprefix("x = ")) >= best
    assert not list(disk.glob(".flybisect-*"))
    (disk / "ballast").unlink()
    journal = Journal(disk / "j.sqlite3")
    assert journal.warnings == []
    for number in range(kept):
        assert journal.recall(ONE, replace(PROBE, source=str(number))) is not None, number
    journal.close()
print(kept)
"""


def test_what_was_kept_stays(tmp_path: Path) -> None:
    script = tmp_path / "small.py"
    script.write_text(ON_A_SMALL_DISK)
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, str(script), str(folder)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=150,
    )
    if done.returncode == 77:
        pytest.skip("no file system can be mounted here")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20
