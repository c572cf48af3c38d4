from __future__ import annotations

import sys
import time
from pathlib import Path

from flybisect.toolchain.processes import run


def test_output_and_code() -> None:
    done = run(
        [sys.executable, "-c", "import sys; print('a'); sys.stderr.write('b'); sys.exit(3)"], timeout=30
    )
    assert done.code == 3 and not done.ok
    assert "a" in done.output and "b" in done.output


def test_log_is_appended_to_and_only_the_new_part_returned(tmp_path: Path) -> None:
    log = tmp_path / "log"
    run(["echo", "first"], timeout=30, log=log)
    assert run(["echo", "second"], timeout=30, log=log).output == "second\n"
    assert log.read_text() == "first\nsecond\n"


def test_time_ends_the_whole_group(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    start = time.monotonic()
    done = run(["sh", "-c", f"(sleep 2; touch {mark}) & echo begun; wait"], timeout=0.5)
    assert done.code is None and done.output == "begun\n"
    assert time.monotonic() - start < 2
    time.sleep(2)
    assert not mark.exists()


def test_a_program_that_is_not_there() -> None:
    done = run(["/nonexistent/program"], timeout=1)
    assert done.code is None and "No such file" in done.output
