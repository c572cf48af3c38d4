from __future__ import annotations

import os
from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.session import resume


def test_the_last_one_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("b", "a")):
        session = tmp_path / "sessions" / name
        session.mkdir(parents=True)
        resume.save_command(session, ["reduce", f"{name}.py", "--", "--flag"])
        when = session / resume.FILE
        os.utime(when, (number, number))
    found = resume.find_command(None, tmp_path)
    assert found.words == ("reduce", "a.py", "--", "--flag")
    assert found.folder == tmp_path
    assert resume.find_command(tmp_path / "sessions" / "b", tmp_path).words[1] == "b.py"


def test_without_a_session(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no session to resume"):
        resume.find_command(None, tmp_path)
    with pytest.raises(UserError, match="no session's folder"):
        resume.find_command(tmp_path, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"words": ["resume"], "folder": "/"}',
        '{"words": [], "folder": "/"}',
        '{"words": [1], "folder": "/"}',
        '{"words": ["reduce"], "folder": 5}',
        '{"words": ["reduce"], "folder": "/nowhere/at/all"}',
        "[" * 100000,
        "\udcff",
    ],
)
def test_a_damaged_one_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / resume.FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UserError, match=r"command\.json"):
        resume.find_command(tmp_path, tmp_path)
