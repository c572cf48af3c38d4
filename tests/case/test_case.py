from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.case.case import (
    Baseline,
    Case,
    find,
    load,
    load_defaults,
    merge,
    parse,
)
from flybisect.case.command_paths import relative
from flybisect.case.declared import declarations, said
from flybisect.case.workdir import default_workdir
from flybisect.errors import UserError

FULL = """
script: kernel.py
args: gemm --copy "buffer 64"
arch: gfx942
env: {VARIANT: tanh, ROUNDS: 3}
flydsl: 0.5.0
oracle: spills
against: {args: [raw, 3]}
when: vgpr_spills > base.vgpr_spills
figure: auto
pattern: ds_read
absent: true
stage: last
command: ./judge.sh --fast
same_as: [verifier, "'ub.poison' op"]
valid_on: [0.2.4, 0.5]
timeout: 90
memory: 4096
"""


def test_every_key(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(FULL)
    assert load(tmp_path / "case.yaml") == Case(
        script=tmp_path / "kernel.py",
        argv=("gemm", "--copy", "buffer 64"),
        env=(("ROUNDS", "3"), ("VARIANT", "tanh")),
        arch="gfx942",
        flydsl="0.5.0",
        oracle="spills",
        baseline=Baseline(argv=("raw", "3")),
        when="vgpr_spills > base.vgpr_spills",
        figure="auto",
        timeout=90.0,
        memory=4096,
        pattern="ds_read",
        absent=True,
        stage="last",
        command="./judge.sh --fast",
        same_as=("verifier", "'ub.poison' op"),
        valid_on=("0.2.4", "0.5"),
    )


def test_a_command_is_meant_from_the_files_folder(tmp_path: Path) -> None:
    (tmp_path / "judge.sh").write_text("")
    found = [
        parse(f"script: k.py\ncommand: {command}", "x", tmp_path).command
        for command in ("./judge.sh -x", "judge.sh", "sh ./judge.sh ./none", "grep -q judge.sh")
    ]
    script = tmp_path / "judge.sh"
    assert found == [f"{script} -x", f"{script}", f"sh {script} ./none", "grep -q judge.sh"]


def test_a_command_for_a_reader_elsewhere() -> None:
    for command, told in (
        ("/home/me/x/judge.sh -x", "./judge.sh -x"),
        (
            "/usr/bin/python3 '/home/me/a.py' \"$1\" 2>/dev/null",
            "/usr/bin/python3 './a.py' \"$1\" 2>/dev/null",
        ),
        ("grep -q a/b/c < ../x", "grep -q a/b/c < ../x"),
        ("$HOME/bin/judge", "$HOME/bin/judge"),
    ):
        assert relative(command) == told


def test_the_first_that_says_something_goes() -> None:
    first = Case(pattern="b", same_as=("y",), env=(("B", "3"), ("C", "4")), absent=False)
    second = Case(
        Path("k.py"), pattern="a", absent=True, stage="last", same_as=("x",), env=(("A", "1"), ("B", "2"))
    )
    assert merge(first, second, Case(stage="isa", jobs=2)) == Case(
        Path("k.py"),
        pattern="b",
        absent=False,
        stage="last",
        same_as=("y",),
        env=(("A", "1"), ("B", "3"), ("C", "4")),
        jobs=2,
    )


def test_no_arguments_are_said_too() -> None:
    case = Case(Path("k.py"), ("a",))
    assert merge(Case(argv=()), case).argv == ()
    assert merge(Case(), case).argv == ("a",)
    assert Case().arguments == ()


@pytest.mark.parametrize("of", [Case, Baseline])
def test_every_field_is_declared_and_silent_at_first(of: type[Case] | type[Baseline]) -> None:
    assert len(list(declarations(of))) == len(fields(of))
    assert said(of()) == {}


def test_paths_are_meant_from_the_files_folder(tmp_path: Path) -> None:
    case = parse("script: a/k.py\noracle: mine.yaml\nflydsl: ./fly\nagainst: {flydsl: ../old}", "x", tmp_path)
    assert case.script == tmp_path / "a" / "k.py"
    assert case.oracle == str(tmp_path / "mine.yaml")
    assert case.flydsl == str(tmp_path / "fly")
    assert case.baseline == Baseline(flydsl=str(tmp_path / ".." / "old"))


def test_defaults_of_a_case(tmp_path: Path) -> None:
    assert parse("script: k.py", "x", tmp_path) == Case(tmp_path / "k.py")


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12)
SAID = TEXTS.filter(str.strip)


LISTED = st.lists(SAID, max_size=2).map(tuple)
SAID_OR_NOT = st.none() | SAID


@given(
    st.builds(
        Case,
        st.just(Path("/a/k.py")),
        argv=st.none() | st.lists(TEXTS, max_size=3).map(tuple),
        arch=SAID_OR_NOT,
        baseline=st.none() | st.builds(Baseline, st.lists(TEXTS, max_size=2).map(tuple)),
        when=SAID_OR_NOT,
        timeout=st.none() | st.floats(0.1, 1e6),
        memory=st.none() | st.integers(64, 10**6),
        pattern=SAID_OR_NOT,
        absent=st.none() | st.booleans(),
        stage=SAID_OR_NOT,
        command=SAID_OR_NOT,
        same_as=LISTED,
    )
)
def test_yaml_there_and_back(case: Case) -> None:
    assert parse(case.to_yaml(), "x", Path("/elsewhere")) == case


def test_a_case_file_does_not_hold_what_is_the_machines() -> None:
    case = Case(Path("/a/k.py"), jobs=3, workdir=Path("/w"), scheduler="tcp://here:1")
    assert parse(case.to_yaml(), "x", Path("/")) == Case(Path("/a/k.py"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["says no script"]),
        ("- k.py", ["keys and values"]),
        ("script: [", ["not YAML"]),
        ("script: k.py\nargv: x\noracel: y", ["'argv'", "'oracel' (did you mean 'oracle'?)", "against"]),
        ("script: k.py\ntimeout: soon", ["timeout", "a number from 0.1", "'soon'"]),
        ("script: k.py\ntimeout: -1", ["timeout", "a number from 0.1"]),
        ("script: k.py\ntimeout: .nan", ["timeout", "a number from 0.1", "nan"]),
        ("script: k.py\ntimeout: .inf", ["timeout", "a number from 0.1", "inf"]),
        ("script: k.py\nmemory: 0.5", ["memory", "a number from 64", "0.5"]),
        ("script: k.py\noracle: ''", ["oracle is empty"]),
        ("script: k.py\nwhen: ' '", ["when is empty"]),
        ("script: k.py\nmemory: true", ["memory", "True"]),
        ("script: k.py\nabsent: maybe", ["absent", "true or false"]),
        ("script: k.py\nsame_as: 3", ["same_as", "list of texts"]),
        ("script: k.py\nsame_as: ['']", ("same_as is empty",)),
        ("script: k.py\npattern: ''", ["pattern is empty"]),
        ("script: k.py\nargs: {a: b}", ["args", "list"]),
        ("script: k.py\nargs: 'a \"b'", ["args", "No closing quotation"]),
        ("script: k.py\narch: [a]", ["arch", "should be a text"]),
        ("script: k.py\nagainst: raw", ["against", "keys and values"]),
        ("script: k.py\nagainst: {argz: raw}", ["against", "'argz'"]),
        ("script: k.py\nagainst: {}", ["against", "says nothing"]),
    ],
)
def test_a_bad_file_says_what_is_bad(text: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(text)
    with pytest.raises(UserError) as error:
        load(tmp_path / "case.yaml")
    for word in ("case.yaml", *words):
        assert word in str(error.value)


def test_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("kernel.py", "other.py"):
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "case.yaml").write_text(FULL)
    (tmp_path / "raw.case.yaml").write_text("script: kernel.py\nargs: raw\n")
    whole = load(tmp_path / "case.yaml")
    assert find(tmp_path) == find(tmp_path / "case.yaml") == find(tmp_path / "kernel.py") == whole
    assert find(tmp_path / "other.py") == Case(tmp_path / "other.py")
    assert find(tmp_path / "raw.case.yaml") == Case(tmp_path / "kernel.py", ("raw",))
    monkeypatch.chdir(tmp_path)
    assert find(Path("kernel.py")) == find(Path()) == whole


def test_finding_nothing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"without a case\.yaml"):
        find(tmp_path)
    with pytest.raises(UserError, match=r"there is no file .*none\.py"):
        find(tmp_path / "none.py")
    (tmp_path / "case.yaml").write_text("script: none.py")
    with pytest.raises(UserError, match=r"its script .*none\.py does not exist"):
        find(tmp_path)


def test_defaults_come_from_the_nearest_file(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "flybisect.yaml").write_text("arch: gfx950\njobs: 2\nworkdir: w\ntimeout: 5\n")
    assert load_defaults(inner) == Case(arch="gfx950", jobs=2, workdir=tmp_path / "w", timeout=5.0)
    assert default_workdir(inner) == tmp_path / "w"
    (inner / "flybisect.yaml").write_text("flydsl: 0.3.0\n")
    assert load_defaults(inner) == Case(flydsl="0.3.0")
    (inner / "flybisect.yaml").write_text("job: 2\n")
    with pytest.raises(UserError, match="did you mean 'jobs'"):
        load_defaults(inner)


def test_the_workdir_of_a_checkout(tmp_path: Path) -> None:
    assert default_workdir(tmp_path) == Path(__file__).resolve().parent.parent.parent / "workdirs"
