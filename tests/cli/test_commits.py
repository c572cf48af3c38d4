"""`flybisect commits` on the real FlyDSL: its installed Python is put into a repository and changed there."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import flybisect
from flybisect.toolchain.installed import installed_site, installed_version
from flybisect.toolchain.pristine import is_release
from tests.cli.running import Ran, Run
from tests.git.madeup import LAYOUT, MadeUp

ARCH = ("--arch", "gfx942")
BROKEN = '\n\ndef arange_of(*_):\n    raise RuntimeError("made for a test")\n\n\nmake_layout = arange_of\n'
SCRIPT = """\
import torch
import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def k(out: fx.Tensor):
    fx.make_layout(4, 1)
    out[fx.thread_idx.x] = fx.Float32(1.0)


@flyc.jit
def run(out: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    k(out).launch(grid=(1, 1, 1), block=(64, 1, 1), stream=stream)


run(torch.zeros(64))
"""


@pytest.fixture(scope="module")
def fly(tmp_path_factory: pytest.TempPathFactory) -> MadeUp:
    """The tag of the installed release, and behind it commits of which one breaks `fx.make_layout`."""
    site, version = installed_site(), installed_version()
    if site is None or version is None or not is_release(site, version):
        pytest.skip("the installed FlyDSL is no release, so no commit can have its natives")
    made = MadeUp(tmp_path_factory.mktemp("fly") / "fly")
    python = made.folder / "python/flydsl"
    shutil.copytree(site / "flydsl", python, ignore=shutil.ignore_patterns("_mlir", "__pycache__"))
    made.commit("As released (#1)", {name: text for name, text in LAYOUT.items() if "flydsl" not in name})
    made.tag(f"v{version}")
    expr = (python / "expr/__init__.py").read_text()
    package = (python / "__init__.py").read_text()
    made.commit("Docs (#2)", {"README.md": "2"})
    made.commit("Say more (#3)", {"python/flydsl/more.py": "3\n"})
    made.commit("Does not import (#4)", {"python/flydsl/__init__.py": "raise ImportError('on the way')\n"})
    made.commit("Imports again (#5)", {"python/flydsl/__init__.py": f"{package}\n# 5\n"})
    made.commit("Speed up (#12) (#6)", {"python/flydsl/expr/__init__.py": expr + BROKEN})
    made.commit("More docs (#7)", {"README.md": "7"})
    made.commit("Say less (#8)", {"python/flydsl/more.py": None})
    made.commit("Say it otherwise (#9)", {"python/flydsl/other.py": "9\n"})
    return made


@pytest.fixture
def commits(run: Run, fly: MadeUp, workdir: Path, tmp_path: Path) -> Callable[..., Ran]:
    script = tmp_path / "layout.py"
    script.write_text(SCRIPT)

    def call(text: str, *words: object) -> Ran:
        repo = ("--repo", fly.folder, "--workdir", workdir, *ARCH)
        return run("commits", text, "--case", script, "--oracle", "exception", *repo, *words)

    return call


def test_the_commit_is_found_with_real_overlays(fly: MadeUp, commits: Callable[..., Ran]) -> None:
    version = installed_version()
    before = fly.git("status", "--porcelain=v2", "--branch")
    ran = commits(f"v{version}..main", "--json")
    assert ran.code == 0, ran.err
    data = ran.data
    assert data["first_bad"]["subject"] == "Speed up (#12) (#6)"
    assert data["first_bad"]["pull_request"] == 6
    assert data["first_bad"]["touches"] == ["python"]
    assert data["last_good"]["subject"] == "Imports again (#5)"
    assert [culprit["hash"] for culprit in data["culprits"]] == [data["first_bad"]["hash"]]
    assert (data["exact"], data["confirmed"], data["monotone"]) == (True, True, True)
    assert (data["commits"], data["candidates"]) == (8, 7)
    assert len(data["tests"]) <= 3 + 4
    assert data["attribution"]["owner"] == "python"
    assert "made for a test" in data["signature"]
    assert {build["exactness"] for build in data["builds"]} == {"exact"}
    assert fly.git("status", "--porcelain=v2", "--branch") == before
    log = Path(data["log"])
    assert log.read_text().startswith("# bad: ")

    again = commits(f"v{version}..main")
    assert again.code == 0
    assert "first bad commit:" in again.out and "Speed up (#12) (#6)" in again.out
    assert "confirmed" in again.out and str(log) in again.out

    fixed = commits(f"v{version}..main", "--find", "fix")
    assert fixed.code == 2
    assert "--find bug" in fixed.err


def test_python_gets_the_same_answer(fly: MadeUp, workdir: Path, tmp_path: Path) -> None:
    script = tmp_path / "layout.py"
    script.write_text(SCRIPT)
    case = flybisect.Case(script, arch=ARCH[1], oracle="exception")
    version = installed_version()
    found = flybisect.bisect_commits(case, f"v{version}..main", repo=fly.folder, workdir=workdir)
    assert [each.commit.subject for each in found.answer.suspects] == ["Speed up (#12) (#6)"]
    assert found.answer.exact
    assert found.log.read_text().startswith("# bad: ")
    assert found.to_dict()["first_bad"]["pull_request"] == 6
    with pytest.raises(flybisect.UserError, match="--find bug"):
        flybisect.bisect_commits(case, f"v{version}..main", repo=fly.folder, workdir=workdir, find="fix")


def test_what_the_script_imports_of_the_repository_counts(
    run: Run, fly: MadeUp, workdir: Path, tmp_path: Path
) -> None:
    """A kernel of the repository brings the failure; FlyDSL itself stays the same."""
    fly.git("switch", "--quiet", "-c", "kernels", f"v{installed_version()}")
    fly.commit("Tune (#11)", {"kernels/gemm.py": "x = 2\n"})
    fly.commit("Break (#12)", {"kernels/gemm.py": "x = undefined\n"})
    fly.commit("Tune more (#13)", {"kernels/gemm.py": "x = undefined  # 3\n"})
    fly.git("switch", "--quiet", "main")
    script = tmp_path / "imports.py"
    script.write_text(f"import kernels.gemm\n{SCRIPT}")
    repo = ("--repo", fly.folder, "--workdir", workdir, *ARCH)
    text = f"v{installed_version()}..kernels"
    ran = run("commits", text, "--case", script, "--oracle", "exception", *repo, "--json")
    assert ran.code == 0, ran.err
    assert ran.data["first_bad"]["subject"] == "Break (#12)"
    assert ran.data["first_bad"]["touches"] == ["imported by the script"]
    assert ran.data["attribution"]["owner"] == "neither half"
    assert ran.data["exact"] is True


def test_an_unbuilt_end_is_refused(fly: MadeUp, commits: Callable[..., Ran]) -> None:
    fly.git("switch", "--quiet", "-c", "native", "main")
    fly.commit("C++ (#10)", {"lib/Fly.cpp": "int more();\n"})
    ran = commits(f"v{installed_version()}..native")
    fly.git("switch", "--quiet", "main")
    assert ran.code == 2
    assert "no release has its natives" in ran.err and "--allow-inexact" in ran.err
    assert len(ran.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("v9.9.9..main", "no commit 'v9.9.9'"),
        ("main..main", "both ends"),
        ("main", "no range"),
        ("main~2..main~3", "is older"),
    ],
)
def test_ranges_that_are_none(commits: Callable[..., Ran], text: str, said: str) -> None:
    ran = commits(text)
    assert ran.code == 2
    assert said in ran.err


def test_no_clone_and_no_case(run: Run, tmp_path: Path) -> None:
    words = ("--oracle", "exception", *ARCH, "--workdir", tmp_path / "w")
    ran = run("commits", "a..b", "--repo", tmp_path, *words)
    assert ran.code == 2 and "--case" in ran.err
    (tmp_path / "k.py").write_text(SCRIPT)
    ran = run("commits", "a..b", "--case", tmp_path / "k.py", "--repo", tmp_path, *words)
    assert ran.code == 2 and "is not in a git clone" in ran.err


@pytest.fixture
def stranger(fly: MadeUp, tmp_path: Path) -> Path:
    """The same clone, as somebody else may have left it."""
    folder = tmp_path / "stranger"
    shutil.copytree(fly.folder, folder, symlinks=True)
    program, hooks = tmp_path / "program", tmp_path / "hooks"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'mark'}\n")
    program.chmod(0o755)
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        (hooks / name).symlink_to(program)
    (folder / ".git/info").mkdir(exist_ok=True)
    (folder / ".git/info/attributes").write_text("* filter=evil diff=evil\n")
    with (folder / ".git/config").open("a") as file:
        file.write(f"[core]\n\tfsmonitor = {program}\n\thooksPath = {hooks}\n\tsshCommand = {program}\n")
        file.write(f"[log]\n\tshowSignature = true\n[gpg]\n\tprogram = {program}\n")
        file.write(f'[filter "evil"]\n\tsmudge = {program}\n\tclean = {program}\n\trequired = true\n')
        file.write(f'[diff]\n\texternal = {program}\n[diff "evil"]\n\ttextconv = {program}\n')
    return folder


def test_a_clone_of_a_stranger_runs_nothing(run: Run, stranger: Path, workdir: Path, tmp_path: Path) -> None:
    script = tmp_path / "layout.py"
    script.write_text(SCRIPT)
    words = ("--case", script, "--oracle", "exception", "--workdir", workdir, *ARCH, "--json")
    ran = run("commits", f"v{installed_version()}..main", "--repo", stranger, *words)
    assert ran.code == 0, ran.err
    assert ran.data["first_bad"]["subject"] == "Speed up (#12) (#6)"
    assert not (tmp_path / "mark").exists()
    subprocess.run(["git", "status"], cwd=stranger, capture_output=True)
    assert (tmp_path / "mark").exists(), "the clone of the test does no harm"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_clone_of_another_user_is_refused(
    run: Run, stranger: Path, workdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.delenv("SUDO_UID", raising=False)
    os.chown(stranger, 4321, 4321)
    script = tmp_path / "layout.py"
    script.write_text(SCRIPT)
    words = ("--case", script, "--oracle", "exception", "--workdir", workdir, *ARCH)
    ran = run("commits", f"v{installed_version()}..main", "--repo", stranger, *words)
    assert ran.code == 2
    assert f"safe.directory {stranger}" in ran.err and len(ran.err.strip().splitlines()) == 1
