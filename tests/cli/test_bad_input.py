"""What a user can get wrong: one clear sentence, exit code 2, the input untouched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flybisect.toolchain.linker import Places
from tests.cli.running import Ran, Run

ARCH = ("--arch", "gfx942")


def refused(ran: Ran, *parts: str) -> None:
    """One sentence on stderr with these parts in it, and nothing else."""
    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err.startswith("flybisect: ") and ran.err.count("\n") == 1, ran.err
    assert "Traceback" not in ran.err
    for part in parts:
        assert part in ran.err


def test_script_that_does_not_exist(run: Run) -> None:
    refused(run("reduce", "nowhere.py", "--oracle", "spills"), "there is no file nowhere.py")


def test_folder_without_a_case(run: Run, tmp_path: Path) -> None:
    refused(run("reduce", tmp_path, "--oracle", "spills"), "a folder without a case.yaml")


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"import os\nx = (1,\n", ("does not parse", "line 2", "never closed")),
        (b"def f():\nreturn 1\n", ("does not parse", "line 2")),
        (b"x = 1\0\n", ("does not parse", "null bytes")),
        (b"# \xe9\n", ("not UTF-8", "line 1")),
        (b"x = 1\ny = '\xe9'\n", ("not UTF-8", "line 2")),
        (b"# -*- coding: latin-1 -*-\nx = '\xc3\xa9'\n", ("iso-8859-1", "save it as UTF-8")),
        (b"# -*- coding: no-such -*-\n", ("does not parse", "no-such")),
    ],
)
def test_script_that_does_not_parse(run: Run, tmp_path: Path, content: bytes, parts: tuple[str, ...]) -> None:
    script = tmp_path / "bad.py"
    script.write_bytes(content)
    refused(run("reduce", script, "--oracle", "spills", *ARCH), *parts)
    refused(run("check", script, "--oracle", "spills", *ARCH), *parts)
    assert script.read_bytes() == content


def test_script_that_fails_at_import(run: Run, tmp_path: Path, workdir: Path) -> None:
    script = tmp_path / "imports.py"
    script.write_text("import no_such_module\n")
    refused(
        run("reduce", script, "--oracle", "spills", *ARCH, "--workdir", workdir, "-q"),
        "imports.py",
        "the package no_such_module is not installed",
    )


def test_script_that_compiles_no_kernel(run: Run, tmp_path: Path, workdir: Path) -> None:
    script = tmp_path / "nothing.py"
    script.write_text("print('hello')\n")
    refused(
        run("reduce", script, "--oracle", "spills", *ARCH, "--workdir", workdir, "-q"),
        "nothing.py",
        "no kernel was compiled",
    )


def test_script_that_fails_otherwise_names_the_oracle_that_fits(
    run: Run, script: Callable[[str], Path], workdir: Path
) -> None:
    path = script("complement.py")
    before = path.read_bytes()
    refused(
        run("reduce", path, "--oracle", "legalization", *ARCH, "--workdir", workdir, "-q"),
        "complement.py",
        "filteredStride.isStatic()",
        "--oracle assertion",
    )
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_script_that_is_fine_says_its_metrics(run: Run, script: Callable[[str], Path], workdir: Path) -> None:
    refused(
        run(
            "reduce",
            script("pressure.py"),
            "--oracle",
            "spills",
            *ARCH,
            "--workdir",
            workdir,
            "-q",
            "--",
            "20",
        ),
        "pressure.py",
        "vgprs 22",
        "vgpr_spills 0",
    )


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (("--oracle", "spils", *ARCH), ("no oracle 'spils'", "did you mean spills", "assertion")),
        (("--oracle", "./mine.py", *ARCH), ("no oracle file", "mine.py")),
        (("--oracle", "./mine.yaml", *ARCH), ("mine.yaml",)),
        (ARCH, ("--oracle", "assertion, ")),
        (("--oracle", "spills", "--arch", "gfx999"), ("unknown arch 'gfx999'", "gfx942", "gfx950")),
        (("--oracle", "spills"), ("--arch", "gfx942", "gfx950")),
        (("--oracle", "spills", *ARCH, "--flydsl", "newest"), ("'newest'", "0.5.0")),
        (("--oracle", "spills", *ARCH, "--flydsl", "./no/such"), ("no/such is not a folder",)),
        (
            ("--oracle", "spills", *ARCH, "--when", "vgpr_spils > 1"),
            ("vgpr_spils", "did you mean vgpr_spills"),
        ),
        (("--oracle", "spills", *ARCH, "--when", "vgpr_spills >"), ("cannot be parsed",)),
        (("--oracle", "spills", *ARCH, "--when", "vgprs > base.vgprs"), ("base", "--against-args")),
        (("--oracle", "spills", *ARCH, "--against-args", "'"), ("--against-args", "quot")),
        (("--oracle", "spills", *ARCH, "--against-args", ""), ("compared with itself",)),
        (("--oracle", "spills", *ARCH, "--against-arch", "gfx1"), ("unknown arch 'gfx1'",)),
        (
            ("--oracle", "spills", *ARCH, "--passes", "statments"),
            ("no pass 'statments'", "did you mean statements"),
        ),
        (("--oracle", "spills", *ARCH, "--passes", "ones", "--skip-passes", "ones"), ("no pass is left",)),
        (("--oracle", "spills", *ARCH, "-o", "./no/out.py"), ("no folder no",)),
        (("--oracle", "spills", *ARCH, "-o", "/dev/null"), ("not a plain file",)),
        (("--oracle", "spills", *ARCH, "-o", "/proc/out.py"), ("/proc cannot be written",)),
        (("--oracle", "", *ARCH), ("--oracle is empty",)),
        (("--oracle", "spills", *ARCH, "--when", ""), ("--when is empty",)),
        (("--oracle", "spills", *ARCH, "--flydsl", ""), ("--flydsl is empty",)),
        (("--oracle", "spills", "--arch", "gfx94"), ("unknown arch 'gfx94'", "did you mean gfx942?")),
        (("--oracle", "spills", *ARCH, "--when", "open('x') > 1"), ("calls 'open'",)),
        (("--oracle", "spills", *ARCH, "--when", "open('x')"), ("calls 'open'",)),
    ],
)
def test_options(
    run: Run, script: Callable[[str], Path], workdir: Path, options: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    refused(run("reduce", script("complement.py"), *options, "--workdir", workdir), *parts)


@pytest.mark.parametrize("how", ["plain", "link", "hard link", "case"])
def test_the_result_never_goes_over_the_input(
    run: Run, script: Callable[[str], Path], workdir: Path, how: str
) -> None:
    path = script("complement.py")
    (path.parent / "case.yaml").write_text(f"script: {path.name}\noracle: assertion\narch: gfx942\n")
    out = {"plain": path, "case": path.parent / "case.yaml"}.get(how, path.parent / "other.py")
    if how == "link":
        out.symlink_to(path)
    elif how == "hard link":
        out.hardlink_to(path)
    before = (path.read_bytes(), out.read_bytes())
    refused(run("reduce", path, "-o", out, "--workdir", workdir), "give the result another name")
    assert (path.read_bytes(), out.read_bytes()) == before


def test_no_linker(
    run: Run, script: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = Places(system=tmp_path)
    monkeypatch.setattr(Places, "of_this_machine", classmethod(lambda cls: nowhere))
    path = script("complement.py")
    ran = run("reduce", path, "--oracle", "assertion", *ARCH, "--workdir", tmp_path / "w")
    refused(ran, "no working ld.lld", "pip install ziglang")


def test_script_without_an_end(run: Run) -> None:
    refused(run("check", "/dev/zero", "--oracle", "assertion", *ARCH), "larger than 4 MiB")


@pytest.mark.parametrize(
    "options",
    [
        ("--timeout", "inf"),
        ("--timeout", "-1"),
        ("--timeout", "nan"),
        ("--timeout", "1e12"),
        ("--memory", "0"),
        ("--memory", str(10**20)),
        ("--jobs", "0"),
        ("--jobs", str(10**6)),
    ],
)
def test_limits_that_cannot_be(run: Run, script: Callable[[str], Path], options: tuple[str, ...]) -> None:
    ran = run("reduce", script("complement.py"), "--oracle", "assertion", *ARCH, *options)
    assert (ran.code, ran.out) == (2, "")
    assert options[0] in ran.err


def test_workdir_that_cannot_be_written(run: Run, script: Callable[[str], Path]) -> None:
    path = script("complement.py")
    for command in ("reduce", "check"):
        ran = run(command, path, "--oracle", "assertion", *ARCH, "--workdir", "/proc")
        refused(ran, "/proc cannot be written", "--workdir")


def test_workdir_that_cannot_be_made(run: Run, script: Callable[[str], Path]) -> None:
    path = script("complement.py")
    ran = run("reduce", path, "--oracle", "assertion", *ARCH, "--workdir", path / "below")
    refused(ran, "cannot be made", "--workdir")


def test_case_file_with_an_unknown_key(run: Run, script: Callable[[str], Path]) -> None:
    path = script("complement.py")
    (path.parent / "case.yaml").write_text(f"script: {path.name}\norakle: assertion\n")
    refused(run("reduce", path.parent), "case.yaml", "'orakle'", "did you mean 'oracle'")


@pytest.mark.parametrize(
    "words", [["reduce", "--nope"], ["bogus"], ["reduce"], ["check", "a.py", "--timeout", "x"]]
)
def test_wrong_usage_ends_with_2(run: Run, words: list[str]) -> None:
    assert run(*words).code == 2


@pytest.mark.release
def test_version_that_does_not_exist(run: Run, script: Callable[[str], Path], workdir: Path) -> None:
    ran = run(
        "reduce",
        script("complement.py"),
        "--oracle",
        "spills",
        *ARCH,
        "--flydsl",
        "9.9.9",
        "--workdir",
        workdir,
        "-q",
    )
    refused(ran, "there is no FlyDSL 9.9.9", "0.5.0")
