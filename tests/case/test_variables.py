"""Environment variables that a case hands to its script."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from flybisect.bisect.observer import StudiedCase
from flybisect.case.case import Case, parse
from flybisect.case.variables import given, missing, say_missing
from flybisect.errors import UserError
from flybisect.observation import Observation, Outcome, Probe, Stage
from flybisect.report import command
from flybisect.session import resume
from flybisect.session.session import open_session
from flybisect.workflows.heading import command_of

CASE = Case(script=Path("k.py"), argv=("-x",), arch="gfx942", oracle="spills", env=(("V", "a b"),))


def test_options() -> None:
    caller = {"HERE": "from here", "EMPTY": ""}
    assert given(["B=2=3", "HERE", "EMPTY", "A=", "B=4"], caller) == (
        ("A", ""),
        ("B", "4"),
        ("EMPTY", ""),
        ("HERE", "from here"),
    )


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("ABSENT", "ABSENT is not set here; write --env ABSENT=VALUE"),
        ("=x", "no name of a variable"),
        ("A-B=x", "no name of a variable"),
        ("A=\0", "zero byte"),
        ("ARCH=gfx942", "use --arch"),
        ("FLYDSL_GPU_ARCH=gfx942", "use --arch"),
        ("COMPILE_ONLY=0", "set by flybisect itself"),
        ("FLYDSL_RUNTIME_ENABLE_CACHE=1", "set by flybisect itself"),
        ("FLYDSL_DUMP_IR=1", "set by flybisect itself"),
        ("FLYDSL_AUTOTUNE_CACHE_DIR=/x", "set by flybisect itself"),
        ("TMPDIR=/x", "set by flybisect itself"),
        ("ROCM_PATH=/x", "set it for flybisect itself"),
        ("LD_PRELOAD=./x.so", "before a trial is confined"),
        ("LD_AUDIT=./x.so", "before a trial is confined"),
        ("PYTHONPATH=/x", "before a trial is confined"),
        ("OMP_TOOL_LIBRARIES=./x.so", "before a trial is confined"),
    ],
)
def test_what_cannot_be_handed_on(option: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        given([option], {})
    name, _, value = option.partition("=")
    if said.startswith(("use", "set", "before")):
        with pytest.raises(UserError, match=said):
            parse(json.dumps({"script": "k.py", "env": {name: value}}), "case.yaml", Path())


@pytest.mark.parametrize("text", ["[A]", "{A: }", "{A: true}", "{A: [1]}", "{1: x}", "A=1"])
def test_a_file_says_names_with_values(text: str) -> None:
    with pytest.raises(UserError, match=r"case\.yaml: env"):
        parse(f"script: k.py\nenv: {text}", "case.yaml", Path())


def test_what_changes_the_code_that_is_compiled_is_the_scripts() -> None:
    assert given(["FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1"], {}) == (("FLYDSL_DEBUG_ENABLE_DEBUG_INFO", "1"),)


def test_another_environment_is_another_answer(tmp_path: Path) -> None:
    other = replace(CASE, env=(("V", "c"),))
    probes = {Probe("x", "k.py", "gfx942", env=case.env).key() for case in (CASE, other)}
    marks = {StudiedCase(case, "x", (), "gfx942").mark for case in (CASE, other)}
    assert len(probes) == len(marks) == 2
    with open_session(tmp_path, CASE, "x", []) as one, open_session(tmp_path, other, "x", []) as two:
        assert one.folder != two.folder
        assert parse((one.folder / "case.yaml").read_text(), "x", Path()).env == CASE.env


def test_without_variables_the_key_is_what_it_was() -> None:
    assert Probe("x", "k.py", "gfx942").key() == Probe("x", "k.py", "gfx942", env=()).key()


def test_shown_commands_hold_them() -> None:
    assert command_of(CASE, "0.5.0")[3:] == [
        *("--oracle", "spills", "--arch", "gfx942", "--env", "V=a b", "--flydsl", "0.5.0", "--", "-x")
    ]
    assert command.plain("gfx942", CASE.env, []).endswith("FLYDSL_GPU_ARCH=gfx942 V='a b' python repro.py")


def test_resuming_has_the_value_of_the_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERE", "1")
    words = ["reduce", "k.py", "--env", "HERE", "--env=HERE", "--env", "V=2", "--", "--env", "HERE"]
    resume.save_command(tmp_path, words)
    monkeypatch.delenv("HERE")
    expected = ["reduce", "k.py", "--env", "HERE=1", "--env=HERE=1", "--env", "V=2", "--", "--env", "HERE"]
    assert list(resume.find_command(tmp_path, tmp_path).words) == expected


def test_what_a_script_reads_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing(["B", "A", "ABSENT", "LD_PRELOAD"], {"A": "1", "B": "2", "LD_PRELOAD": "x"}) == ["A", "B"]
    said: list[str] = []
    monkeypatch.setenv("MYLIB_VARIANT", "x")
    assert say_missing(["MYLIB_VARIANT"], said.append) == ["MYLIB_VARIANT"]
    assert say_missing(["MYLIB_OTHER"], said.append) == []
    assert said == [
        "the script reads MYLIB_VARIANT, which is set here but not in trials; add --env MYLIB_VARIANT"
    ]


def test_it_crosses_as_json() -> None:
    seen = Observation(Outcome.OK, Stage.DONE, "gfx942", "0.5.0", unset=("A", "B"))
    assert Observation.from_json(seen.to_json()) == seen
