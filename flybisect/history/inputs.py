"""What a commit's FlyDSL is built of, as keys that are equal where the builds are. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

NATIVE = (
    *("lib", "include", "cmake", "tools", "thirdparty", "CMakeLists.txt", ".gitmodules"),
    "python/mlir_flydsl",
)
"""All that FlyDSL's own C++ and bindings are built of; a tree that pins a submodule changes with the pin."""
PYTHON = "python/flydsl"
SCRIPTS = ("scripts/build.sh", "setup.py")
BUILD_LLVM = "scripts/build_llvm.sh"
PINS = ("thirdparty/llvm-build-info.json", "thirdparty/llvm-hash.txt")
"""Files that name LLVM's commit: since v0.3.1, and before."""


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
    """The scripts that build FlyDSL."""
    imported: tuple[tuple[str, str], ...] = ()
    """Paths of the repository that the script under study imports, with their hashes."""
    llvm_pin: str | None = None
    """Commit of llvm-project; None where none is named."""

    @property
    def natives(self) -> tuple[str, str]:
        """Equal: the compiled half is the same."""
        return self.native, self.llvm


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


def inputs_of(
    hashes: Mapping[str, str], patches: Sequence[str], pin: str | None, imported: Sequence[str]
) -> Inputs:
    """`hashes`: git's of what lies at each path; `patches`: those of LLVM's patches, in order."""
    return Inputs(
        native=_key(hashes.get(path, "") for path in NATIVE),
        python=hashes.get(PYTHON, ""),
        llvm=_key((pin or "", hashes.get(BUILD_LLVM, ""), *patches)),
        scripts=_key(hashes.get(path, "") for path in SCRIPTS),
        imported=tuple((path, hashes.get(path, "")) for path in imported),
        llvm_pin=pin,
    )


def pin_in(path: str, text: str) -> str | None:
    """The hash in the text of one of `PINS`; None where it names none."""
    if not path.endswith(".json"):
        return text.strip() or None
    try:
        found = json.loads(text)["upstream"]["llvm_hash"]
    except (ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, str) and found else None


def _key(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
