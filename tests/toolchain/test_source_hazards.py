"""Source builds that hang, are killed, are wanted twice, or start from a clone that lacks something."""

from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.git.repository import Repository
from flybisect.toolchain import build_tree, buildenv
from flybisect.toolchain.buildenv import BuildOptions
from flybisect.toolchain.failure import BuildFailed
from flybisect.toolchain.llvm import pinned_llvm
from flybisect.toolchain.model import Exactness
from flybisect.toolchain.processes import Stopped
from flybisect.toolchain.source import SourceBuilder
from tests.toolchain.project import HEADER, INIT, Project, described, evaluated, git, smoke

pytestmark = pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("c++") is None, reason="needs CMake and a C++ compiler"
)
FORK = multiprocessing.get_context("fork")
ODD_SECONDS = str(1_000_000 + os.getpid())
"""Of a `sleep` that no other process does, nor another run of these tests."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project.made(tmp_path_factory.mktemp("hazards"))
    project.commit("Native", {HEADER: '#define ANSWER "5"\n'})
    return project


@pytest.fixture(scope="module")
def llvm(project: Project) -> Path:
    """An LLVM that is built already."""
    SourceBuilder(project.folder, project.folder.parent / "first").toolchain("HEAD")
    return next((project.folder.parent / "first/toolchains").glob("llvm-*/include")).parent


def running(*words: str) -> list[str]:
    """Command lines with `words` of processes that run."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(entry.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        except OSError:
            continue
    return [line for line in lines if all(word in line for word in words)]


def with_step(project: Project, command: str) -> str:
    """CMakeLists.txt with one more step, which the build does last."""
    return project.text("CMakeLists.txt") + (
        f'\nadd_custom_target(step ALL COMMAND sh -c "{command}" VERBATIM)\n'
        "add_dependencies(step CopyFlyPythonSources)\n"
    )


def test_a_build_that_hangs_is_ended_with_all_it_started(
    project: Project, llvm: Path, tmp_path: Path
) -> None:
    hang = f"setsid sleep {ODD_SECONDS} & sleep {ODD_SECONDS}"
    good = git(project.folder, "rev-parse", "HEAD")
    commit = project.aside("Hangs", {"CMakeLists.txt": with_step(project, hang)})
    builder = SourceBuilder(project.folder, tmp_path / "work", llvm, timeout=6.0)
    begun = time.monotonic()
    with pytest.raises(BuildFailed, match="took longer than 6 s"):
        builder.toolchain(commit)
    assert time.monotonic() - begun < 12
    assert running("sleep", ODD_SECONDS) == []
    assert not builder.is_built(commit)
    assert described(builder.toolchain(good)).startswith("5 ")


def test_a_build_in_a_thread_can_be_stopped(project: Project, llvm: Path, tmp_path: Path) -> None:
    commit = project.aside("Hangs", {"CMakeLists.txt": with_step(project, f"sleep {ODD_SECONDS}")})
    builder = SourceBuilder(project.folder, tmp_path / "work", llvm)
    with ThreadPoolExecutor(1) as pool:
        building = pool.submit(builder.toolchain, commit)
        while not running("sleep", ODD_SECONDS):
            assert not building.done()
            time.sleep(0.05)
        builder.stop.set()
        with pytest.raises(Stopped):
            building.result(5)
    assert running("sleep", ODD_SECONDS) == [] and not builder.is_built(commit)


def test_a_killed_build_leaves_nothing_that_is_taken_for_whole(
    project: Project, llvm: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    waits = f"while [ -e {gate} ]; do sleep 0.1; done"
    good = git(project.folder, "rev-parse", "HEAD")
    commit = project.aside("Waits", {"CMakeLists.txt": with_step(project, waits)})
    told: list[str] = []
    builder = SourceBuilder(project.folder, tmp_path / "work", llvm, notify=told.append)

    worker = FORK.Process(target=builder.toolchain, args=(commit,))
    worker.start()
    while not running(str(gate)):
        time.sleep(0.05)
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    worker.join(10)
    assert not builder.is_built(commit)

    # What the killed one started is still at work in the build folder: nobody else may be.
    opener = threading.Timer(1.5, gate.unlink)
    opener.start()
    toolchain = builder.toolchain(good)
    assert opener.finished.is_set() and not gate.exists()
    assert any("waiting" in line for line in told)
    assert described(toolchain).startswith("5 ")
    assert described(builder.toolchain(commit)).startswith("5 ")


def test_two_processes_that_want_the_same_build_it_once(project: Project, llvm: Path, tmp_path: Path) -> None:
    builder = SourceBuilder(project.folder, tmp_path / "work", llvm)
    workers = [FORK.Process(target=builder.toolchain, args=("HEAD",)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert builder.log("HEAD").read_text().count("flybisect: building") == 1


def test_threads_share_a_builder(project: Project, llvm: Path, tmp_path: Path) -> None:
    first = git(project.folder, "rev-list", "--max-parents=0", "HEAD")
    builder = SourceBuilder(project.folder, tmp_path / "work", llvm)
    seen: dict[str, str] = {}
    threads = [
        threading.Thread(target=lambda ref=ref: seen.update({ref: described(builder.toolchain(ref))}))
        for ref in (first, "HEAD")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert seen[first].startswith("1 ") and seen["HEAD"].startswith("5 ")


def test_python_that_the_build_makes_is_not_laid_over(project: Project, llvm: Path, tmp_path: Path) -> None:
    """Where a package is more than a copy of `python/flydsl`, each commit goes through the build."""
    made = "echo MADE=1 > ${PACKAGE}/made.py"
    step = with_step(project, made)
    first = project.aside("Makes a module", {"CMakeLists.txt": step})
    second = project.aside("Python", {"CMakeLists.txt": step, INIT: project.text(INIT) + "\nMORE = 1\n"})
    builder = SourceBuilder(project.folder, tmp_path / "work", llvm, smoke=smoke)
    for commit in (first, second):
        assert evaluated(builder.toolchain(commit), "__import__('flydsl.made').made.MADE") == "1"
    assert "building" in builder.log(second).read_text()


def test_a_clone_that_is_shallow_dirty_and_without_submodules(
    project: Project, llvm: Path, tmp_path: Path
) -> None:
    old = git(project.folder, "rev-list", "--max-parents=0", "HEAD")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{project.folder}", str(shallow))
    (shallow / HEADER).write_text("not C++ at all\n")
    builder = SourceBuilder(shallow, tmp_path / "work", llvm, notify=(told := list[str]()).append)
    with pytest.raises(UserError, match="shallow clone"):
        builder.toolchain(old)
    assert described(builder.toolchain("HEAD")).startswith("5 ")
    assert any("fetching the submodule thirdparty/dlpack" in line for line in told)
    assert (shallow / HEADER).read_text() == "not C++ at all\n"
    assert not any((shallow / "thirdparty/dlpack").iterdir())


def test_a_submodule_that_cannot_be_had(project: Project, llvm: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(project.folder), str(clone))
    url = project.text(".gitmodules").replace(str(project.dlpack), str(tmp_path / "nowhere"))
    elsewhere = Project(clone, project.dlpack).commit("Elsewhere", {".gitmodules": url})
    with pytest.raises(
        UserError, match=r"submodule thirdparty/dlpack at \w{12} is neither in .*update --init"
    ):
        SourceBuilder(clone, tmp_path / "work", llvm).toolchain(elsewhere)


def test_a_commit_of_another_layout_is_a_skip(project: Project, llvm: Path, tmp_path: Path) -> None:
    bare = project.aside("No script", {"scripts/build.sh": None})
    with pytest.raises(BuildFailed, match=r"no scripts/build\.sh"):
        SourceBuilder(project.folder, tmp_path / "work", llvm).toolchain(bare)


@pytest.mark.skipif(shutil.which("ninja") is None, reason="make starts anew")
def test_an_llvm_that_was_cut_off_is_gone_on_with(project: Project, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    script = project.text("scripts/build_llvm.sh").replace(
        "rm -rf", f"while [ -e {gate} ]; do sleep 0.1; done\nrm -rf"
    )
    clone, commit = Repository(project.folder), project.aside("Slow", {"scripts/build_llvm.sh": script})
    inputs, options = clone.inputs(commit), BuildOptions()
    with pytest.raises(BuildFailed, match="was not built within"):
        pinned_llvm(clone, commit, inputs, tmp_path, options, timeout=5.0)
    assert running(str(gate)) == [] and not list(tmp_path.glob("toolchains/llvm-*/lib"))
    gate.unlink()
    install = pinned_llvm(clone, commit, inputs, tmp_path, options)
    assert (install / "lib/libLLVMCore.a").is_file()
    assert install.with_name(install.name + ".log").read_text().count("Building CXX object") == 1


def test_a_full_disk_is_for_the_user(
    project: Project, llvm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copytree", full)
    builder = SourceBuilder(project.folder, tmp_path / "work", llvm)
    with pytest.raises(UserError, match="the disk is full"):
        builder.toolchain("HEAD")
    assert not builder.is_built("HEAD")


def test_no_cmake_is_for_the_user(
    project: Project, llvm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("git", "bash", "sh"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(UserError, match="needs CMake"):
        SourceBuilder(project.folder, tmp_path / "work", llvm).toolchain("HEAD")


def test_what_a_build_needs_at_its_end_is_looked_for_first(
    project: Project, llvm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cmake = project.text("CMakeLists.txt") + "# patchelf --set-rpath\n"
    commit = project.aside("Patches", {"CMakeLists.txt": cmake})
    found = buildenv.program
    monkeypatch.setattr(build_tree, "program", lambda name: None if name == "patchelf" else found(name))
    with pytest.raises(UserError, match="needs patchelf"):
        SourceBuilder(project.folder, tmp_path / "work", llvm).toolchain(commit)


@pytest.mark.skipif(buildenv.program("ccache") is None, reason="needs ccache")
def test_ccache_knows_what_was_compiled_below_another_working_folder(
    project: Project, llvm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CCACHE_DIR", str(tmp_path / "ccache"))

    def hits() -> int:
        said = subprocess.run(["ccache", "--print-stats"], capture_output=True, text=True, check=True)
        rows = dict(line.split("\t")[:2] for line in said.stdout.splitlines())
        return int(rows["direct_cache_hit"]) + int(rows["preprocessed_cache_hit"])

    SourceBuilder(project.folder, tmp_path / "one", llvm).toolchain("HEAD")
    assert hits() == 0
    toolchain = SourceBuilder(project.folder, tmp_path / "another", llvm).toolchain("HEAD")
    assert hits() >= 2 and described(toolchain).startswith("5 ")


@pytest.mark.parametrize(
    ("installed", "fits"), [("2.8.1", False), ("2.9.0", True), ("2.15", True), ("3.1.0", False)]
)
def test_nanobind_has_to_go_with_mlir(
    installed: str, fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = tmp_path / "lib/cmake/mlir/MLIRDetectPythonEnv.cmake"
    asks.parent.mkdir(parents=True)
    asks.write_text("    find_package(nanobind 2.9 CONFIG REQUIRED)\n")
    monkeypatch.setattr(build_tree, "installed_version", lambda _package: installed)
    if fits:
        build_tree.check_nanobind(tmp_path)
    else:
        with pytest.raises(UserError, match=rf"nanobind {installed} .*pip install 'nanobind>=2\.9,<3'"):
            build_tree.check_nanobind(tmp_path)


def test_scripts_install_the_nanobind_that_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buildenv, "installed_version", lambda _package: "0.0.1")
    environment = buildenv.build_environment(tmp_path, BuildOptions())
    done = subprocess.run(
        ["pip", "install", "--no-index", "nanobind"], env=environment, capture_output=True, text=True
    )
    assert "nanobind==0.0.1" in done.stdout + done.stderr
    assert subprocess.run(["pip", "--version"], env=environment, capture_output=True).returncode == 0


@pytest.mark.skipif(buildenv.program("patchelf") is None, reason="needs patchelf")
def test_libraries_do_not_go_on_loading_from_the_build_folder(
    project: Project, llvm: Path, tmp_path: Path
) -> None:
    absolute = project.text("CMakeLists.txt").replace(' BUILD_RPATH "$ORIGIN"', "")
    first, second = (
        project.aside("No $ORIGIN", {"CMakeLists.txt": absolute, HEADER: f'#define ANSWER "{answer}"\n'})
        for answer in (6, 7)
    )
    builder = SourceBuilder(project.folder, tmp_path / "work", llvm)
    toolchain = builder.toolchain(first)
    assert described(builder.toolchain(second)).startswith("7 ")
    assert described(toolchain).startswith("6 ")


def test_a_folder_stands_in_for_a_submodule_that_cannot_be_had(
    project: Project, llvm: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(project.folder), str(clone))
    own = SourceBuilder(clone, tmp_path / "work", llvm)
    assert own.exactness("HEAD") is Exactness.EXACT
    header = tmp_path / "files/include/dlpack/dlpack.h"
    header.parent.mkdir(parents=True)
    for version in ("2.0", "2.1"):
        header.write_text(f'#define DLPACK_VERSION "{version}"\n')
        git(clone, "config", "submodule.thirdparty/dlpack.url", str(tmp_path / "files"))
        builder = SourceBuilder(clone, tmp_path / "work", llvm)
        assert builder.exactness("HEAD") is Exactness.PROXY and not builder.is_built("HEAD")
        toolchain = builder.toolchain("HEAD")
        assert toolchain.exactness is Exactness.PROXY and f"dlpack:{version}" in described(toolchain)
    # A pin that the clone holds goes before it.
    git(clone, "config", "submodule.thirdparty/dlpack.url", str(project.dlpack))
    git(clone, "submodule", "--quiet", "update", "--init")
    git(clone, "config", "submodule.thirdparty/dlpack.url", str(tmp_path / "files"))
    assert SourceBuilder(clone, tmp_path / "work", llvm).exactness("HEAD") is Exactness.EXACT
