"""What a commit's FlyDSL is built of, as keys that are equal where the builds are. Pure.

`history/` and `toolchain/` each read the parts from git; what is made of them is decided here alone.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

NATIVE = (
    *("lib", "include", "cmake", "tools", "thirdparty", "CMakeLists.txt", ".gitmodules"),
    "python/mlir_flydsl",
)
"""All that FlyDSL's own C++ and bindings are built of; a tree that pins a submodule changes with the pin."""
PYTHON = "python/flydsl"
BUILD = "scripts/build.sh"
SCRIPTS = (BUILD, "setup.py")
BUILD_LLVM = "scripts/build_llvm.sh"
PINS = ("thirdparty/llvm-build-info.json", "thirdparty/llvm-hash.txt")
"""Files that name LLVM's commit: since v0.3.1, and before."""
PATCHES = "thirdparty/"
"""Folder of LLVM's patches, whose names end in `.patch`; more may lie there."""
_HASH = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True)
class Inputs:
    """Commits with equal inputs are one FlyDSL to a script. Each key is empty where there is nothing."""

    native: str
    """C++, TableGen, CMake, pins of submodules and LLVM, its patches."""
    python: str
    """The tree `python/flydsl`."""
    llvm: str
    """The pin, LLVM's patches and the script that builds it."""
    scripts: str
    """The scripts that build FlyDSL, and its wheel."""
    imported: tuple[tuple[str, str], ...] = ()
    """Paths of the repository that the script under study imports, with their hashes."""
    llvm_pin: str | None = None
    """Commit of llvm-project; None where none is named."""
    patched: bool = False
    """Whether it builds LLVM with changes of its own, which LLVM's revision does not show."""
    script: str = ""
    """`scripts/build.sh` by itself: a build from source does not look at the wheel's `setup.py`."""

    @property
    def natives(self) -> tuple[str, str]:
        """Equal: the compiled half is the same."""
        return self.native, self.llvm

    @property
    def native_build(self) -> str:
        """Equal: with the same LLVM, `scripts/build.sh` makes the same of it."""
        return _key((self.native, self.script))


class Half:
    """Names of what a change touches."""

    LLVM = "LLVM pin"
    NATIVE = "native"
    PYTHON = "python"
    SCRIPTS = "build scripts"
    IMPORTED = "imported by the script"


def touched(before: Inputs, after: Inputs) -> tuple[str, ...]:
    """What differs between the two; empty where nothing that a compile depends on does."""
    found = []
    if before.llvm != after.llvm:
        found.append(Half.LLVM)
    if before.native != after.native:
        found.append(Half.NATIVE)
    if before.python != after.python:
        found.append(Half.PYTHON)
    if before.scripts != after.scripts:
        found.append(Half.SCRIPTS)
    if before.imported != after.imported:
        found.append(Half.IMPORTED)
    return tuple(found)


PATHS = (*NATIVE, PYTHON, *SCRIPTS, BUILD_LLVM)
"""What `inputs_of` wants the hashes of, beside what is imported."""


def inputs_of(
    hashes: Mapping[str, str], folder: Mapping[str, str], pin: str | None, imported: Sequence[str] = ()
) -> Inputs:
    """`hashes`: git's of what lies at each path; `folder`: those of what lies in `PATCHES`."""
    patches = [f"{path} {found}" for path, found in sorted(folder.items()) if path.endswith(".patch")]
    return Inputs(
        native=_key(hashes.get(path, "") for path in NATIVE),
        python=hashes.get(PYTHON, ""),
        llvm=_key((pin or "", hashes.get(BUILD_LLVM, ""), *patches)),
        scripts=_key(hashes.get(path, "") for path in SCRIPTS),
        imported=tuple((path, hashes.get(path, "")) for path in imported),
        llvm_pin=pin,
        patched=bool(patches),
        script=hashes.get(BUILD, ""),
    )


def pin_in(path: str, text: str) -> str | None:
    """The hash in the text of one of `PINS`; None where it names none."""
    found = text.strip()
    if path.endswith(".json"):
        try:
            found = json.loads(text)["upstream"]["llvm_hash"]
        except (ValueError, KeyError, TypeError):
            return None
    return found if isinstance(found, str) and _HASH.fullmatch(found) else None


def _key(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
