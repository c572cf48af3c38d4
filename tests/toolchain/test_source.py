"""Source builds of a small C++ project, with the real git, CMake and compiler."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.toolchain import model
from flybisect.toolchain.failure import BuildFailed
from flybisect.toolchain.model import Exactness
from flybisect.toolchain.source import SourceBuilder
from tests.toolchain.project import CORE, HEADER, INIT, PIN, Project, described, evaluated, git, smoke

pytestmark = pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("c++") is None, reason="needs CMake and a C++ compiler"
)
OLD, NEW = "1" * 40, "2" * 40


@dataclass(frozen=True)
class History:
    """The project and its commits by what they do."""

    project: Project
    builder: SourceBuilder
    at: dict[str, str]
    told: list[str]

    def built(self, name: str) -> str:
        return described(self.builder.toolchain(self.at[name]))


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    below = tmp_path_factory.mktemp("source")
    project = Project.made(below)
    at = {"base": git(project.folder, "rev-parse", "HEAD")}
    core = project.text(CORE)

    at["python"] = project.commit("A module more", {"python/flydsl/extra.py": "EXTRA = 1\n"})
    at["answer 2"] = project.commit("Native", {HEADER: '#define ANSWER "2"\n'})
    at["gone"] = project.commit("The module goes", {"python/flydsl/extra.py": None})
    at["docs"] = project.commit("Words", {"README.md": "words\n"})
    at["broken"] = project.commit("Breaks", {CORE: core.replace("ANSWER", "ANSWERR")})
    at["still broken"] = project.commit("Python", {INIT: project.text(INIT) + "\nMORE = 1\n"})
    project.pin_dlpack("2.0")
    at["repaired"] = project.commit(
        "Repairs; a submodule, a default and a dialect change",
        {
            CORE: core,
            "CMakeLists.txt": project.text("CMakeLists.txt").replace('"plain"', '"spicy"'),
            "python/mlir_flydsl/dialects/fly.py": None,
            "python/mlir_flydsl/dialects/fly2.py": "OPS = ['fly.sub']\n",
        },
    )
    at["broken, another LLVM"] = project.aside("Breaks", {PIN: "3" * 40 + "\n", CORE: "not C++\n"})
    at["bump"] = project.commit("LLVM", {PIN: NEW + "\n"})
    at["no network"] = project.commit("LLVM that can't be had", {PIN: "dead" * 10 + "\n"})
    told: list[str] = []
    builder = SourceBuilder(project.folder, below / "work", None, 1, 60.0, told.append, smoke=smoke)
    _bisector_takes(builder)
    return History(project, builder, at, told)


def _bisector_takes(builder: model.CommitBuilder) -> None:
    """Fails in the type check, where the two do not fit."""


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, history: History) -> Iterator[None]:
    """What a user may have set must not steer a build, nor a git that is told to look elsewhere."""
    monkeypatch.setenv("CMAKE_BUILD_TYPE", "Debug")
    monkeypatch.setenv("MLIR_PATH", "/nonexistent")
    monkeypatch.setenv("FLY_BUILD_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_DIR", str(history.project.folder / ".git"))
    before = history.project.fingerprint()
    yield
    assert history.project.fingerprint() == before, "the user's clone was touched"


def test_a_build_is_of_its_commit(history: History) -> None:
    toolchain = history.builder.toolchain(history.at["base"])
    assert described(toolchain) == f"1 llvm:{OLD} dlpack:1.0 plain Release"
    assert toolchain.kind == "source" and toolchain.exactness is Exactness.EXACT
    assert toolchain.spec == history.at["base"] and toolchain.version == "0.9.0"
    log = history.builder.log(history.at["base"]).read_text()
    assert "Linking" in log and f"Configuring for {sys.executable}\n" in log


def test_python_alone_is_laid_over_natives_that_are_built(history: History) -> None:
    history.builder.toolchain(history.at["base"])
    history.told.clear()
    python = history.builder.toolchain(history.at["python"])
    assert evaluated(python, "__import__('flydsl.extra').extra.EXTRA") == "1"
    assert described(python).startswith("1 ")
    assert history.told == []
    assert "over the natives" in history.builder.log(history.at["python"]).read_text()


def test_a_deleted_python_file_does_not_stay(history: History) -> None:
    history.builder.toolchain(history.at["python"])
    whole = history.builder.toolchain(history.at["answer 2"])
    assert evaluated(whole, "__import__('flydsl.extra').extra.EXTRA") == "1"
    gone = history.builder.toolchain(history.at["gone"])
    assert "No module named 'flydsl.extra'" in evaluated(gone, "__import__('flydsl.extra')")
    assert described(gone).startswith("2 ")


def test_later_builds_leave_earlier_ones_as_they_were(history: History) -> None:
    first = history.builder.toolchain(history.at["base"])
    key = first.key
    assert history.built("answer 2").startswith("2 ")
    assert history.built("repaired").startswith("2 ")
    again = history.builder.toolchain(history.at["base"])
    assert described(first).startswith("1 ") and again.key == key


def test_commits_with_the_same_inputs_are_one_toolchain(history: History) -> None:
    gone = history.builder.toolchain(history.at["gone"])
    history.told.clear()
    docs = history.builder.toolchain(history.at["docs"])
    assert (docs.key, docs.paths) == (gone.key, gone.paths) and history.told == []
    assert history.builder.is_built(history.at["docs"])


@pytest.mark.parametrize("name", ["broken", "still broken"])
def test_an_unbuildable_commit_is_a_skip_that_says_why(history: History, name: str) -> None:
    with pytest.raises(BuildFailed, match=r"error: .ANSWERR. was not declared") as caught:
        history.builder.toolchain(history.at[name])
    assert "ANSWERR" in caught.value.log.read_text()
    assert not history.builder.is_built(history.at[name])


def test_what_failed_is_not_built_again(history: History) -> None:
    for _ in range(2):
        with pytest.raises(BuildFailed):
            history.builder.toolchain(history.at["broken"])
    log = history.builder.log(history.at["broken"]).read_text()
    assert log.count("flybisect: building") == 1


def test_submodule_pin_default_and_dialect_follow_the_commit(history: History) -> None:
    history.builder.toolchain(history.at["answer 2"])
    repaired = history.builder.toolchain(history.at["repaired"])
    assert described(repaired) == f"2 llvm:{OLD} dlpack:2.0 spicy Release"
    dialects = repaired.paths[0] / "flydsl/_mlir/dialects"
    assert [path.name for path in dialects.iterdir()] == ["fly2.py"]
    assert not (dialects / "fly2.py").is_symlink()
    assert not (repaired.paths[0] / "flydsl/extra.py").exists(), "it was in the build folder"
    assert history.built("gone") == f"2 llvm:{OLD} dlpack:1.0 plain Release"


def test_a_bump_of_llvm_is_a_new_llvm(history: History) -> None:
    assert history.built("bump") == f"2 llvm:{NEW} dlpack:2.0 spicy Release"
    assert f"LLVM Commit: {NEW}" in "".join(
        log.read_text() for log in (history.builder.workdir / "toolchains").glob("llvm-*.log")
    )
    assert len(list((history.builder.workdir / "source").glob("flydsl-*"))) == 2


def test_llvm_is_built_once_a_pin(history: History) -> None:
    for name in ("base", "answer 2", "repaired"):
        history.builder.toolchain(history.at[name])
    logs = [log.read_text() for log in (history.builder.workdir / "toolchains").glob("llvm-*.log")]
    assert sum(log.count(f"LLVM Commit: {OLD}") for log in logs) == 1
    assert not list((history.builder.workdir / "source").glob("llvm-*")), "LLVM's build folder should be gone"


def test_llvm_that_cannot_be_fetched_is_for_the_user(history: History) -> None:
    with pytest.raises(UserError, match=r"can't be fetched .*Could not resolve host.*--mlir-path"):
        history.builder.toolchain(history.at["no network"])


def test_given_llvm_is_a_proxy_where_it_is_another(history: History) -> None:
    history.builder.toolchain(history.at["base"])
    built = {
        (path / "include/llvm/Support/VCSRevision.h").read_text().split('"')[1]: path
        for path in (history.builder.workdir / "toolchains").glob("llvm-*")
        if path.is_dir()
    }
    given = SourceBuilder(history.project.folder, history.builder.workdir, built[OLD], smoke=smoke)
    bump = given.toolchain(history.at["bump"])
    assert given.exactness(history.at["bump"]) is bump.exactness is Exactness.PROXY
    assert f"llvm:{OLD}" in described(bump)
    base = given.toolchain(history.at["base"])
    assert base.exactness is Exactness.EXACT and f"llvm:{OLD}" in described(base)
    assert history.builder.toolchain(history.at["bump"]).key != bump.key


def test_a_build_that_fails_with_another_llvm_says_so(history: History) -> None:
    history.builder.toolchain(history.at["base"])
    given = next(path.parent for path in history.builder.workdir.glob("toolchains/llvm-*/include"))
    builder = SourceBuilder(history.project.folder, history.builder.workdir, given)
    with pytest.raises(
        BuildFailed, match=r"the build failed: .*; its LLVM or a submodule is not the one it pins"
    ):
        builder.toolchain(history.at["broken, another LLVM"])
    with pytest.raises(BuildFailed) as caught:
        history.builder.toolchain(history.at["broken"])
    assert "another LLVM" not in caught.value.reason and "submodule" not in caught.value.reason


def test_a_given_folder_without_mlir_is_refused(history: History, tmp_path: Path) -> None:
    builder = SourceBuilder(history.project.folder, tmp_path, tmp_path)
    with pytest.raises(UserError, match="holds no MLIR"):
        builder.toolchain(history.at["base"])


def test_a_given_mlir_that_lacks_a_part_is_refused_before_anything_is_built(
    history: History, tmp_path: Path
) -> None:
    mlir = tmp_path / "lib/cmake/mlir/MLIRConfig.cmake"
    llvm = tmp_path / "lib/cmake/llvm/LLVMConfig.cmake"
    for config in (mlir, llvm):
        config.parent.mkdir(parents=True)
    mlir.write_text('set(MLIR_INSTALL_AGGREGATE_OBJECTS "1")\nset(MLIR_ENABLE_BINDINGS_PYTHON "0")\n')
    llvm.write_text("set(LLVM_TARGETS_TO_BUILD AArch64;X86)\n")
    builder = SourceBuilder(history.project.folder, tmp_path / "work", tmp_path)
    with pytest.raises(UserError, match="without MLIR_ENABLE_BINDINGS_PYTHON=ON, AMDGPU among LLVM_TARGETS"):
        builder.toolchain(history.at["base"])
    mlir.write_text('set(MLIR_INSTALL_AGGREGATE_OBJECTS "1")\nset(MLIR_ENABLE_BINDINGS_PYTHON "ON")\n')
    llvm.write_text("set(LLVM_TARGETS_TO_BUILD AArch64;AMDGPU;X86)\n")
    assert builder.exactness(history.at["base"]) is Exactness.PROXY


def test_unknown_commits_and_folders(history: History, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no commit 'v9'"):
        history.builder.toolchain("v9")
    with pytest.raises(UserError, match="not in a git clone"):
        SourceBuilder(tmp_path, tmp_path).toolchain("v9")


def test_a_build_that_compiles_no_kernel_is_not_believed(history: History, tmp_path: Path) -> None:
    history.builder.toolchain(history.at["base"])
    llvm = next(path.parent for path in history.builder.workdir.glob("toolchains/llvm-*/include"))
    workdir = tmp_path / "work"
    builder = SourceBuilder(
        history.project.folder, workdir, llvm, smoke=lambda toolchain: f"died in {toolchain.spec[:6]}"
    )
    with pytest.raises(BuildFailed, match=f"compiles no kernel: died in {history.at['base'][:6]}"):
        builder.toolchain(history.at["base"])
    assert not builder.is_built(history.at["base"])
    assert not [path for path in workdir.glob("toolchains/natives-*") if path.is_dir()]
