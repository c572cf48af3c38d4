from __future__ import annotations

import io
import sys
from typing import TextIO, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.cli.main import main
from flybisect.terminal.clean_text import Cleaned, console, visible

HOSTILE = "\x1b]52;c;aGk=\x07\x1b[2J\x9b31m\u202eevil\u2066\x7f\r\x08"


@pytest.mark.parametrize("arguments", [["check", f"{HOSTILE}.py"], ["show", HOSTILE], [HOSTILE]])
def test_no_escape_gets_to_the_terminal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr
    with pytest.raises(SystemExit):
        main(arguments)
    assert (sys.stdout, sys.stderr) == before
    said = "".join(capsys.readouterr())
    assert "\\x1b" in said
    assert not set(said) & set("\x1b\x9b\x07\x7f\u202e\u2066\x08\r")


@given(st.text())
def test_clean_text_stays(text: str) -> None:
    cleaned = visible(text)
    assert visible(cleaned) == cleaned
    assert all(char in "\n\t\r" or not (ord(char) < 32 or 127 <= ord(char) < 160) for char in cleaned)


def test_words_lines_and_tabs_stay() -> None:
    text = "äß→ 漢字 😀\tone\r\ntwo\n"
    assert visible(text) == text


def test_what_draws_is_given_the_stream_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.StringIO()
    monkeypatch.setattr(sys, "stderr", cast(TextIO, Cleaned(raw)))
    assert console(stderr=True).file is raw
