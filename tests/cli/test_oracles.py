"""Oracles that are told what to look for, and `auto`, on the installed FlyDSL."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import Ran, Run

ARCH = ("--arch", "gfx942")
Script = Callable[[str], Path]


@pytest.fixture
def check(run: Run, script: Script, workdir: Path) -> Callable[..., Ran]:
    """Checks `two_bugs.py` with some words."""

    def call(*words: object, bug: str = "copied", name: str = "two_bugs.py") -> Ran:
        return run("check", script(name), *ARCH, "--workdir", workdir, "-q", *words, "--", bug)

    return call


def test_oracles_are_listed(run: Run) -> None:
    ran = run("oracles")
    listed = [line.split()[0] for line in ran.out.splitlines()]
    assert listed == sorted(listed)
    assert set(listed) == {
        *("assertion", "auto", "command", "crash", "diagnostic", "exception", "hang", "ir", "isa"),
        *("legalization", "spills", "text", "verifier", "vgprs"),
    }
    assert max(map(len, ran.out.splitlines())) < 120


def test_auto_where_nothing_fails(run: Run, script: Script, workdir: Path) -> None:
    path = script("pressure.py")
    words = (path, *ARCH, "--workdir", workdir, "-q", "--oracle", "auto")
    ran = run("check", *words, "--", "20")
    assert ran.code == 1
    assert "to judge its" in ran.out and "vgprs" in ran.out
    ran = run("reduce", *words, "--", "20")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(
        "flybisect: pressure.py is uninteresting to the oracle auto: the script compiled"
    )
    assert ran.err.count("\n") == 1


def test_text(check: Callable[..., Ran]) -> None:
    ran = check("--oracle", "text", "--pattern", "^went on$", bug="caught")
    assert ran.code == 0
    assert "went on" in ran.out
    assert check("--oracle", "text", "--pattern", "illegal: .*buffer_copy<64>", "--absent").code == 1


def test_ir(check: Callable[..., Ran]) -> None:
    # It fails in a pass before.
    assert check("--oracle", "ir", "--pattern", r"fly\.copy", "--stage", "last").code == 125
    words = ("--oracle", "ir", "--stage", "isa", "--pattern")
    assert check(*words, "scratch_store", "--absent", bug="20", name="pressure.py").code == 0


def test_a_reduction_by_ir(run: Run, script: Script, workdir: Path) -> None:
    words = ("--oracle", "ir", "--stage", "origin", "--pattern", r"fly\.make_copy_atom", *ARCH)
    quick = ("--passes", "statements,names", "--workdir", workdir, "-q", "--json")
    ran = run("reduce", script("two_bugs.py"), *words, *quick, "--", "copied")
    assert ran.code == 0, ran.err
    text = Path(ran.data["output"]).read_text()
    assert "make_copy_atom" in text
    assert "clamp" not in text
    assert "--stage origin" in text


def test_command(check: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "judge.sh"
    script.write_text('#!/bin/sh\npython "$@" 2>&1 | grep -q "failed to legalize operation"\n')
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    words = ("--oracle", "command", "--command", "./judge.sh")
    ran = check(*words, "--json")
    assert (ran.code, ran.data["verdict"]) == (0, "interesting")
    assert check("--oracle", "command", "--command", "exit 125 #").code == 125
    ran = check("--oracle", "command", "--command", "./none.sh")
    assert (ran.code, ran.out) == (2, "")
    assert "cannot be run" in ran.err
    assert ran.err.count("\n") == 1


def test_a_reduction_by_command(run: Run, script: Script, workdir: Path) -> None:
    asks = "import sys, ast; sys.exit('BufferCopy64b' not in open(sys.argv[1]).read())"
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(asks)}"
    words = ("--oracle", "command", "--command", command, *ARCH, "--workdir", workdir, "-q", "--json")
    ran = run("reduce", script("two_bugs.py"), *words, "--passes", "statements,names", "--", "copied")
    assert ran.code == 0, ran.err
    assert "BufferCopy64b" in Path(ran.data["output"]).read_text()
    assert ran.data["statements_after"] <= 12


def test_same_as(check: Callable[..., Ran]) -> None:
    ran = check("--oracle", "legalization", "--same-as", "dynamic 'Boolean'", bug="clamped")
    assert ran.code == 0
    assert "named as the same bug" in ran.out
    words = ("--oracle", "auto", "--signature", "verifier: 'a.b' op is bad")
    assert check(*words, "--same-as", "fly.copy_atom_call").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("text",), "needs --pattern"),
        (("text", "--pattern", "("), "cannot be parsed"),
        (("text", "--pattern", ".*"), "matches an empty text"),
        (("text", "--pattern", ""), "--pattern is empty"),
        (("text", "--pattern", "x", "--stage", "last"), "does not accept --stage"),
        (("ir", "--pattern", "x"), "--stage NAME: origin, last, isa"),
        (("ir", "--stage", "last"), "needs --pattern"),
        (
            ("ir", "--pattern", "x", "--stage", "nope"),
            "no stage 'nope'; there are origin, last, isa, 00_origin",
        ),
        (("command",), "needs --command"),
        (("command", "--command", " "), "--command is empty"),
        (("spills", "--pattern", "x"), "spills does not accept --pattern"),
        (("legalization", "--when", "vgprs > 1"), "legalization does not accept --when"),
        (("hang", "--absent"), "hang does not accept --absent"),
        (("isa",), "NUMBER"),
        (("isa", "--when", "regs > 1"), "'regs'"),
        (("auto", "--same-as", ""), "--same-as is empty"),
        (("auto", "--against-arch", "mars"), "mars"),
    ],
)
def test_bad_input(check: Callable[..., Ran], words: tuple[str, ...], said: str) -> None:
    name = "pressure.py" if "nope" in words else "two_bugs.py"
    ran = check("--oracle", *words, name=name, bug="20" if "nope" in words else "copied")
    assert (ran.code, ran.out) == (2, ""), ran
    assert ran.err.startswith("flybisect: ") and ran.err.count("\n") == 1, ran.err
    assert said in ran.err


def test_another_arch_to_compare_with(run: Run, script: Script, workdir: Path) -> None:
    words = ("check", script("pressure.py"), *ARCH, "--against-arch", "gfx950", "--workdir", workdir, "-q")
    ran = run(*words, "--oracle", "auto", "--json", "--", "20")
    assert ran.code == 1
    assert ran.data["base"]["arch"] == "gfx950"


def test_a_hang_is_bounded_by_what_it_is_compared_with(run: Run, tmp_path: Path, workdir: Path) -> None:
    path = tmp_path / "stuck.py"
    path.write_text(
        "import sys\nimport flydsl.compiler as flyc\n\ndef spin():\n    while 'stuck' in sys.argv:\n"
        "        pass\n\n@flyc.jit\ndef run():\n    spin()\n\nrun()\n"
    )
    words = ("check", path, "--oracle", "hang", *ARCH, "--against-args", "fine", "--workdir", workdir, "-q")
    ran = run(*words, "--json", "--", "stuck")
    assert ran.code == 0, ran.out
    assert ran.data["signature"] == "hang: during trace"
    assert 10 <= ran.data["observation"]["seconds"] < 30
