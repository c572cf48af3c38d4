"""Commands that are tried before they are given out, in a trial's confinement."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from flybisect.probe.outside import EndedCommand, run_confined
from flybisect.toolchain.model import Toolchain


@pytest.fixture
def victim() -> Iterator[Path]:
    with TemporaryDirectory(dir="/var/tmp") as folder:
        path = Path(folder, "kept.txt")
        path.write_text("kept")
        yield path


def test_a_command_sees_its_files_and_nothing_of_ours(
    toolchain: Toolchain, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "hidden")
    program = f"""\
import os, sys
import flydsl
print(open("note.txt").read(), flydsl.__version__ == "{toolchain.version}", os.environ.get("TOKEN"))
open("made.txt", "w").write("fine")
try:
    open({str(victim)!r}, "w")
except OSError:
    print("refused", file=sys.stderr)
sys.exit(3)
"""
    ended = run_confined({"a.py": program, "note.txt": "hello"}, "python a.py", toolchain, "gfx942", 60)
    assert ended == EndedCommand(3, "hello True None\nrefused\n")
    assert victim.read_text() == "kept"


def test_signals_and_time(toolchain: Toolchain) -> None:
    kill = "import os\nos.kill(os.getpid(), 6)\n"
    assert run_confined({"a.py": kill}, "exec python a.py", toolchain, "gfx942", 60).code == -6
    assert run_confined({"a.py": "while True: pass\n"}, "python a.py", toolchain, "gfx942", 3).code is None
