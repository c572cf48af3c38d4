"""What a FlyDSL build is made of, read from a commit without checking it out."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from flybisect.toolchain.clone import Clone
from flybisect.toolchain.fingerprint import combine
from flybisect.toolchain.gitcommand import GitFailed

BUILD = "scripts/build.sh"
BUILD_LLVM = "scripts/build_llvm.sh"
PYTHON = "python/flydsl"
NATIVE = (
    *("CMakeLists.txt", "cmake", "include", "lib", "tools", "python/mlir_flydsl"),
    *("thirdparty", ".gitmodules", BUILD),
)
"""All that `_mlir` is built of; the pins of the submodules are part of `thirdparty`."""

_CONFIGURE = (":(glob)**/CMakeLists.txt", ":(glob)**/*.cmake", BUILD)
_HASH = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True)
class BuildInputs:
    """Commits that are alike here are one FlyDSL."""

    commit: str
    """Full hash; two commits of the same inputs differ in nothing else."""
    native: str
    """Changes with the C++ and TableGen tree, CMake files, submodule pins and `scripts/build.sh`."""
    python: str
    """Hash of the tree `python/flydsl`; empty where there is none."""
    pin: str
    """Commit of LLVM that it asks for; empty for the oldest commits, which name none."""
    llvm: str
    """Changes with the pin, the patches to LLVM, and `scripts/build_llvm.sh`."""
    patched: bool
    """Whether it builds LLVM with changes of its own, which LLVM's revision does not show."""
    builds: bool
    """Whether there is a `scripts/build.sh`; trees of before March 2026 are laid out otherwise."""


def build_inputs(clone: Clone, ref: str) -> BuildInputs:
    """Raises UserError where the clone has no such commit."""
    commit = clone.commit(ref)
    found = {entry.path: entry.hash for entry in clone.entries(commit, *NATIVE, PYTHON, BUILD_LLVM)}
    pin = llvm_pin(clone, commit)
    patches = [
        f"{entry.path} {entry.hash}"
        for entry in clone.entries(commit, "thirdparty/")
        if entry.path.endswith(".patch")
    ]
    return BuildInputs(
        commit=commit,
        native=combine(*(f"{path} {found.get(path, '')}" for path in NATIVE)),
        python=found.get(PYTHON, ""),
        pin=pin,
        llvm=combine(pin, found.get(BUILD_LLVM, ""), *patches),
        patched=bool(patches),
        builds=BUILD in found,
    )


def llvm_pin(clone: Clone, commit: str) -> str:
    """Hash of the LLVM commit that a FlyDSL commit names; empty where it names none.

    It is `upstream.llvm_hash` of `thirdparty/llvm-build-info.json`, before that file the content of
    `thirdparty/llvm-hash.txt`.
    """
    info = clone.text(commit, "thirdparty/llvm-build-info.json")
    if info is not None:
        try:
            named = json.loads(info)["upstream"]["llvm_hash"]
        except (ValueError, KeyError, TypeError):
            return ""
        return named if isinstance(named, str) and _HASH.fullmatch(named) else ""
    named = (clone.text(commit, "thirdparty/llvm-hash.txt") or "").strip()
    return named if _HASH.fullmatch(named) else ""


def mentions(clone: Clone, commit: str, word: str) -> bool:
    """Whether CMake files or the build script of `commit` speak of `word`."""
    try:
        clone.run("grep", "--quiet", "--fixed-strings", "-e", word, commit, "--", *_CONFIGURE)
    except GitFailed:
        return False
    return True
