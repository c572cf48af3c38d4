"""How long it still takes, and the line that is drawn."""

from __future__ import annotations

import io

from rich.console import Console

from flybisect.findings.model import Step
from flybisect.report.live import Pace, Screen, told


def test_pace_counts_ends_and_halvings() -> None:
    pace = Pace(18)
    assert pace.words() == "0 s"
    pace.note()
    assert pace.words() == "1 of about 7, 0 s"
    for _ in range(8):
        pace.note()
    assert pace.words().startswith("9 of about 9, 0 s, about 0 s left")


def test_a_screen_shows_what_is_tried_below_what_was_found() -> None:
    out = io.StringIO()
    screen = Screen(Console(file=out, force_terminal=True, width=80))
    screen.begin("releases")
    screen.bisecting(4)
    screen.trying("0.3.0")
    assert screen.line().plain.startswith("releases: trying 0.3.0  1 of about 4")
    screen.notify("installing FlyDSL 0.3.0")
    screen.ended(Step("releases", False, "no boundary"))
    screen.stop()
    assert "installing FlyDSL 0.3.0" in out.getvalue()
    assert "releases: not done: no boundary" in out.getvalue()
    assert told(Step("check", True, "interesting")) == "check: interesting"
