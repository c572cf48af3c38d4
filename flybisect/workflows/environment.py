"""Under what a bug was seen: versions alone, nothing that names a person or a machine."""

from __future__ import annotations

import importlib.metadata
import mmap
import os
import platform
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from flybisect import __version__
from flybisect.errors import UserError
from flybisect.git.landmarks import landmarks
from flybisect.git.repository import Repository
from flybisect.toolchain.installed import installed_site
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.wheel import origin_of

_LLVM = re.compile(rb"(\d+\.\d+\.\d+git) ([0-9a-f]{40})")
"""How LLVM's libraries name their version, where they were built of a clone."""


@dataclass(frozen=True)
class Environment:
    """None: not known, or not there."""

    flydsl: str
    flydsl_commit: str | None
    """Full hash of the commit that the release was made of."""
    llvm: str | None
    """Version and commit that FlyDSL's own library names."""
    llvm_pin: str | None
    """What the FlyDSL commit pins."""
    python: str
    torch: str | None
    rocm: str | None
    linker: str
    os: str
    machine: str
    flybisect: str = __version__
    wheel: str | None = None
    """SHA-256 of the wheel that the release was unpacked from, and which index has the same."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Environment:
        """Raises TypeError on one of another version."""
        return cls(**data)


def environment(toolchain: Toolchain, linker: str, repository: Repository | None) -> Environment:
    """Of what the toolchain's trials run in. `linker`: what it says of itself."""
    commit, pin = (None, None) if repository is None else _commit(repository, toolchain.version)
    return Environment(
        flydsl=toolchain.version,
        flydsl_commit=commit,
        llvm=_llvm(toolchain),
        llvm_pin=pin,
        python=platform.python_version(),
        torch=_torch(),
        rocm=_rocm(),
        linker=linker,
        os=_os(),
        machine=platform.machine(),
        wheel=_wheel(toolchain),
    )


def _commit(repository: Repository, version: str) -> tuple[str | None, str | None]:
    try:
        marks = landmarks(repository, [version], repository.commit("HEAD"))
    except UserError:
        return None, None
    if not marks:
        return None, None
    return marks[0].commit, repository.inputs(marks[0].commit).llvm_pin


def _wheel(toolchain: Toolchain) -> str | None:
    found = origin_of(toolchain.paths[0]) if toolchain.kind == "release" and toolchain.paths else None
    return None if found is None else str(found)


def _llvm(toolchain: Toolchain) -> str | None:
    site = toolchain.paths[0] if toolchain.paths else installed_site()
    if site is None:
        return None
    for library in sorted((site / "flydsl" / "_mlir" / "_mlir_libs").glob("libFly*.so*")):
        found = _search(library)
        if found is not None:
            return found
    return None


def _search(library: Path) -> str | None:
    try:
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            found = _LLVM.search(content)
            return None if found is None else f"{found[1].decode()} {found[2].decode()[:12]}"
    except (OSError, ValueError):  # an empty file cannot be mapped
        return None


def _torch() -> str | None:
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return None


def _rocm() -> str | None:
    root = Path(os.environ.get("ROCM_PATH") or "/opt/rocm")
    try:
        return (root / ".info" / "version").read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def _os() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return platform.system()
