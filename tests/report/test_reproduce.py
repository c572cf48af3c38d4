"""`reproduce.sh`, run by bash with a program in place of Python that prints what one would."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from flybisect.case.case import Case
from flybisect.observation import Diagnostic, ExceptionFacts, Observation, Outcome, Stage
from flybisect.report.reproduce import reproduce_sh
from flybisect.workflows.environment import Environment
from flybisect.workflows.findings import Findings, Script, ScriptFigures

ENVIRONMENT = Environment("0.3.0", None, None, None, "3.11", "2.13", None, "LLD 19", "Debian", "x86_64")
CAST = Observation(
    Outcome.EXCEPTION,
    Stage.TRACE,
    "gfx942",
    "0.3.0",
    1,
    exceptions=(ExceptionFacts("RuntimeError", "std::bad_cast", innermost="flydsl", during="kernel"),),
)
LIMIT = Observation(
    Outcome.OK,
    Stage.DONE,
    "gfx942",
    "0.5.0",
    0,
    stderr="error: <unknown>:0:0: local memory (98304) exceeds limit (65536) in function 'k_0'\n",
    diagnostics=(
        Diagnostic("error", "local memory (98304) exceeds limit (65536) in function 'k_0'", "stderr"),
    ),
)
CRASH = Observation(Outcome.SIGNAL, Stage.CODEGEN, "gfx942", "0.5.0", None, signal=11)


def ran(seen: Observation, folder: Path, said: str, end: str) -> int:
    found = Findings(
        folder=folder,
        case=Case(folder / "k.py", arch="gfx942", oracle="auto"),
        oracle="exception",
        signature=None,
        condition=None,
        base="",
        flydsl="0.3.0",
        arch="gfx942",
        original=Script("x = 1\n", 1, (ScriptFigures("as it stands", {}, seen),)),
        reduced=None,
        environment=ENVIRONMENT,
    )
    (folder / "reproduce.sh").write_text(reproduce_sh(found))
    python = folder / "python"
    python.write_text(f"#!/bin/bash\ncat <<'EOF'\n{said}\nEOF\n{end}\n")
    python.chmod(0o755)
    done = subprocess.run(["bash", folder / "reproduce.sh", python], capture_output=True, timeout=60)
    return done.returncode


@pytest.mark.parametrize(
    ("said", "end", "code"),
    [
        ("RuntimeError: std::bad_cast", "exit 1", 0),
        ("flydsl.RuntimeError: std::bad_cast", "exit 1", 0),
        ("RuntimeError: another\nValueError: std::bad_cast", "exit 1", 125),
        ("ValueError: unsupported", "exit 1", 125),
        ("figures: {}", "exit 0", 1),
    ],
)
def test_the_words_of_an_exception_stand_on_one_line(tmp_path: Path, said: str, end: str, code: int) -> None:
    assert ran(CAST, tmp_path, said, end) == code


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("error: <unknown>:0:0: local memory (99999) exceeds limit (65536) in function 'other'", 0),
        ("error: <unknown>:0:0: scalar registers (200) exceed limit (102)", 1),
    ],
)
def test_an_error_counts_where_the_process_ends_with_0(tmp_path: Path, said: str, code: int) -> None:
    assert ran(LIMIT, tmp_path, said, "exit 0") == code


@pytest.mark.parametrize(
    ("said", "end", "code"),
    [
        ("observe: compiling", "kill -SEGV $$", 0),
        ("observe: compiling\nobserve: compiled", "kill -SEGV $$", 125),
        ("", "kill -SEGV $$", 125),
        ("observe: compiling", "kill -ABRT $$", 125),
        ("observe: compiling", "exit 0", 1),
    ],
)
def test_a_crash_without_words_is_told_by_its_signal_and_stage(
    tmp_path: Path, said: str, end: str, code: int
) -> None:
    assert ran(CRASH, tmp_path, said, end) == code


def test_a_caught_exception_that_nothing_prints_is_judged_by_flybisect(tmp_path: Path) -> None:
    caught = replace(CAST, outcome=Outcome.EXIT)
    ran(caught, tmp_path, "", "exit 1")
    assert "command -v flybisect" in (tmp_path / "reproduce.sh").read_text()
