"""How long it still takes, and the line that is drawn."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from flybisect.terminal.live import (
    Pace,
    Screen,
    halvings,
    step_line,
    watching,
)
from flybisect.workflows.findings import RunStep


def test_pace_counts_ends_and_halvings() -> None:
    pace = Pace(halvings(18))
    assert pace.words() == "0 s"
    pace.note()
    assert pace.words() == "1 of about 7, 0 s"
    for _ in range(8):
        pace.note()
    assert pace.words().startswith("9 of about 9, 0 s, about 0 s left")


def test_a_table_goes_through_all() -> None:
    pace = Pace(3, exact=True)
    pace.note()
    assert pace.words() == "1 of 3, 0 s"


def test_plain_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with watching("matrix", quiet=False) as show:
        show.trying_all(2)
        show.trying("0.3.0")
        show.notify("0.3.0: good")
    assert capsys.readouterr().err == "testing 0.3.0 (1 of 2, 0 s)\n0.3.0: good\n"
    with watching("matrix", quiet=True) as show:
        show.trying("0.3.0")
    assert capsys.readouterr().err == ""


def test_a_screen_shows_what_is_tried_below_what_was_found() -> None:
    out = io.StringIO()
    screen = Screen(Console(file=out, force_terminal=True, width=80))
    screen.begin("releases")
    screen.bisecting(4)
    screen.trying("0.3.0")
    assert screen.line().plain.startswith("releases: testing 0.3.0  1 of about 4")
    screen.notify("installing FlyDSL 0.3.0")
    screen.ended(RunStep("releases", False, "no boundary"))
    screen.stop()
    assert "installing FlyDSL 0.3.0" in out.getvalue()
    assert "releases: not done: no boundary" in out.getvalue()
    assert step_line(RunStep("check", True, "interesting")) == "check: interesting"
