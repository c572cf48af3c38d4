"""The LLVM and MLIR that a commit is built with: the one of its pin, or one that the user gave."""

from __future__ import annotations

import re
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path

from flybisect.errors import UserError
from flybisect.git.build_inputs import BUILD_LLVM, Inputs
from flybisect.git.repository import Repository
from flybisect.git.worktree import check_out
from flybisect.toolchain.buildenv import BuildOptions, build_environment, check_cmake
from flybisect.toolchain.buildlog import lacks, last_errors, no_network
from flybisect.toolchain.failure import BuildFailed
from flybisect.toolchain.fingerprint import combine
from flybisect.toolchain.interrupted import building_in
from flybisect.toolchain.model import Exactness
from flybisect.toolchain.processes import run
from flybisect.toolchain.store import Notify, built_once, locked, silent

CONFIG = "lib/cmake/mlir/MLIRConfig.cmake"
REVISION = "include/llvm/Support/VCSRevision.h"
"""Holds the commit that an LLVM was built of, where it was built of a git checkout."""
KEY_FILE = "flybisect-llvm-key"
"""In an install of our own: the key that it was built for."""
TIMEOUT = 48 * 3600.0
"""Seconds; a build takes half an hour on 64 cores, and many hours on two."""


@dataclass(frozen=True)
class GivenLlvm:
    """An install that the user named with --mlir-path."""

    path: Path
    key: str
    """Changes when any of its libraries does."""
    revision: str
    """Commit that it says it was built of; empty where it does not say."""
    built_for: str
    """`Inputs.llvm` where it is an install of ours; else empty."""

    def exactness(self, inputs: Inputs) -> Exactness:
        """EXACT where it is known to be what the commit pins.

        A revision does not show whether patches were applied: with any, it is a proxy.
        """
        if self.built_for and self.built_for == inputs.llvm:
            return Exactness.EXACT
        if self.revision and self.revision == inputs.llvm_pin and not inputs.patched:
            return Exactness.EXACT
        return Exactness.PROXY


def given_llvm(path: Path) -> GivenLlvm:
    """Raises UserError where `path` is no install of MLIR."""
    path = path.expanduser().absolute()
    if not (path / CONFIG).is_file():
        raise UserError(
            f"{path} holds no MLIR: there is no {CONFIG} in it; --mlir-path takes the folder that LLVM "
            "and MLIR were installed to, such as /usr/lib/llvm-22"
        )
    _check_parts(path)
    files = sorted(entry for entry in (path / "lib").iterdir() if entry.is_file())
    facts = (f"{entry.name} {entry.stat().st_size} {entry.stat().st_mtime_ns}" for entry in files)
    config = (path / CONFIG).read_text("utf-8", "surrogateescape")
    revision = re.search(r'LLVM_REVISION\s+"([0-9a-f]+)"', _text(path / REVISION))
    return GivenLlvm(
        path=path,
        key=combine(str(path), config, *facts),
        revision=revision[1] if revision else "",
        built_for=_text(path / KEY_FILE).strip(),
    )


_OFF = r'"?(?:OFF|0|FALSE|NO|)"?\)'
_PARTS = (
    (CONFIG, rf"set\(MLIR_ENABLE_BINDINGS_PYTHON {_OFF}", "MLIR_ENABLE_BINDINGS_PYTHON=ON"),
    (CONFIG, rf"set\(MLIR_INSTALL_AGGREGATE_OBJECTS {_OFF}", "MLIR_INSTALL_AGGREGATE_OBJECTS=ON"),
    (
        "lib/cmake/llvm/LLVMConfig.cmake",
        r"set\(LLVM_TARGETS_TO_BUILD (?!.*\bAMDGPU\b)",
        "AMDGPU among LLVM_TARGETS_TO_BUILD",
    ),
)
"""Files of an install, what they say where it lacks a thing, and how it would have been built with it."""


def _check_parts(path: Path) -> None:
    """Raises UserError where no FlyDSL can be built with the install, before any build is begun."""
    lacking = [option for name, without, option in _PARTS if re.search(without, _text(path / name))]
    if lacking:
        raise UserError(
            f"FlyDSL can't be built with the MLIR in {path}: its lib/cmake says that it was built without "
            f"{', '.join(lacking)}, as most distributions' packages are (see docs/source-builds.md)"
        )


def pinned_llvm(
    clone: Repository,
    commit: str,
    inputs: Inputs,
    workdir: Path,
    options: BuildOptions,
    *,
    timeout: float = TIMEOUT,
    notify: Notify = silent,
    stop: threading.Event | None = None,
) -> Path:
    """The install of the LLVM that a commit pins, built by the commit's own script when it is not there.

    A build that was cut off is gone on with. Raises BuildFailed when it does not build, UserError when
    this machine lacks what that takes.
    """
    install = workdir.absolute() / "toolchains" / f"llvm-{inputs.llvm}"
    work = workdir.absolute() / "source" / f"llvm-{inputs.llvm}"
    log = install.with_name(install.name + ".log")

    def build(folder: Path) -> None:
        notify(f"building the LLVM of {commit[:12]} ({_short(inputs)}), once: hours on few cores ({log})")
        with locked(work, notify) as lock:
            _build(clone, commit, inputs, work, folder, log, options, timeout, lock, stop)
            (folder / KEY_FILE).write_text(f"{inputs.llvm}\n", "utf-8")
            shutil.rmtree(work, ignore_errors=True)

    return built_once(install, build, notify)


def _build(
    clone: Repository,
    commit: str,
    inputs: Inputs,
    work: Path,
    install: Path,
    log: Path,
    options: BuildOptions,
    timeout: float,
    lock: int,
    stop: threading.Event | None,
) -> None:
    check_cmake()
    # The script puts LLVM's sources and its build beside the checkout.
    tree, sources = work / "FlyDSL", work / "llvm-project"
    check_out(tree, clone, commit)
    if not (tree / BUILD_LLVM).is_file():
        raise BuildFailed(f"it has no {BUILD_LLVM}, so its LLVM can't be built", log)
    environment = {
        **build_environment(work, options),
        "LLVM_INSTALL_DIR": str(install),
        "LLVM_INSTALL_TGZ": "/dev/null",
    }
    command = ["bash", BUILD_LLVM, f"-j{options.jobs}"]
    _forget_cut_off(sources)
    with building_in(sources / "build-flydsl", work / "building"):
        done = run(command, timeout=timeout, cwd=tree, env=environment, log=log, keep_open=[lock], stop=stop)
        if done.code is None:
            raise BuildFailed(f"LLVM {_short(inputs)} was not built within {timeout / 3600:.1f} h", log)
    if done.ok and (install / CONFIG).is_file():
        return
    said = last_errors(done.output)
    if no_network(done.output):
        raise UserError(
            f"LLVM {_short(inputs)} can't be fetched ({said}); "
            f"give an installed MLIR with --mlir-path (log: {log})"
        )
    missing = lacks(done.output)
    if missing is not None:
        raise UserError(f"LLVM {_short(inputs)} can't be built here: {missing} (log: {log})")
    raise BuildFailed(f"LLVM {_short(inputs)} does not build: {said}", log)


def _short(inputs: Inputs) -> str:
    return (inputs.llvm_pin or "")[:12]


def _forget_cut_off(sources: Path) -> None:
    """What git leaves when it is killed would stop the script: it never looks for it."""
    if sources.is_dir() and not (sources / ".git/HEAD").is_file():
        shutil.rmtree(sources)
    for lock in ("index.lock", "shallow.lock"):
        (sources / ".git" / lock).unlink(missing_ok=True)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
