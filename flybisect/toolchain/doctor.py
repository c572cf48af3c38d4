"""What a machine has of what flybisect needs, and what to do about the rest."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from flybisect.errors import UserError
from flybisect.toolchain.arch import KFD_NODES, installed_gpu
from flybisect.toolchain.buildcheck import BuildMachine, cmake_roots, needs
from flybisect.toolchain.buildenv import search_path
from flybisect.toolchain.installed import installed, installed_version
from flybisect.toolchain.linker import Places
from flybisect.toolchain.release import release_folder
from flybisect.toolchain.rocm import BITCODE_ABI_6, find_rocm
from flybisect.toolchain.site import distribution_version
from flybisect.toolchain.wheel import origin_of

OLDEST_PYTHON = (3, 10)
FREE_MIB = 2048
"""Below this a few installed releases (300 MiB each) fill the disk."""


class State(str, Enum):
    OK = "ok"
    WARN = "warn"
    """Works, with something left out that `advice` names."""
    MISSING = "missing"
    """Nothing can be compiled before this is put right."""


@dataclass(frozen=True)
class MachineCheck:
    """One line of `flybisect doctor`."""

    name: str
    state: State
    found: str
    """What was seen."""
    advice: str = ""
    """What to do; empty where all is well."""


@dataclass(frozen=True)
class Machine:
    """What is examined; the defaults are this machine."""

    workdir: Path
    places: Places = field(default_factory=Places.of_this_machine)
    packages: tuple[Path, ...] = field(default_factory=lambda: tuple(Path(p) for p in sys.path if p))
    """Folders with Python packages."""
    programs: str = field(default_factory=search_path)
    """Where git, ccache and what builds take are looked for, as in `$PATH`."""
    headers: Path = field(default_factory=lambda: Path(sysconfig.get_path("include")))
    """Of Python."""
    nodes: Path = KFD_NODES
    python: tuple[int, int] = (sys.version_info[0], sys.version_info[1])


def examine(machine: Machine, more: Sequence[MachineCheck] = ()) -> tuple[MachineCheck, ...]:
    """Every check, in the order they are shown; `more` are those of rooms that this one can't see."""
    own: tuple[Callable[[Machine], MachineCheck], ...] = (
        check_python,
        check_flydsl,
        check_torch,
        check_numpy,
        check_workdir,
        check_releases,
        check_disk,
        check_linker,
        check_bitcode,
        check_gpu,
        check_git,
        check_builds,
        check_ccache,
    )
    return (*(check(machine) for check in own), *more)


def usable(checks: Sequence[MachineCheck]) -> bool:
    """True when nothing is missing without which no script can be compiled."""
    return all(check.state is not State.MISSING for check in checks)


def check_python(machine: Machine) -> MachineCheck:
    found = f"{platform.python_version()}, {sys.executable}"
    if machine.python >= OLDEST_PYTHON:
        return MachineCheck("Python", State.OK, found)
    return MachineCheck("Python", State.MISSING, found, "FlyDSL and flybisect need Python 3.10 or newer")


def check_flydsl(machine: Machine) -> MachineCheck:
    version = installed_version()
    if version is None:
        return MachineCheck(
            "FlyDSL",
            State.WARN,
            "not installed",
            "`pip install flydsl`, or name a release with --flydsl, as --flydsl 0.5.0",
        )
    try:
        installed()
    except UserError as error:
        return MachineCheck("FlyDSL", State.WARN, version, str(error))
    return MachineCheck("FlyDSL", State.OK, version)


def check_torch(machine: Machine) -> MachineCheck:
    advice = "`pip install torch`; the CPU build is enough (https://pytorch.org/get-started/locally)"
    return _package_check("torch", machine, advice)


def check_numpy(machine: Machine) -> MachineCheck:
    return _package_check("numpy", machine, "`pip install numpy`")


def check_workdir(machine: Machine) -> MachineCheck:
    """Sessions and installed releases go there; it is made when the first one does."""
    there = _nearest(machine.workdir)
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return MachineCheck("working folder", State.OK, f"{machine.workdir}, can be written")
    return MachineCheck(
        "working folder",
        State.MISSING,
        f"{machine.workdir}, can't be written",
        "give a folder of your own with --workdir",
    )


def check_releases(machine: Machine) -> MachineCheck:
    """Those that were installed, and whether each is the file that its index lists."""
    pattern = release_folder("*", machine.workdir)
    folders = sorted(path for path in pattern.parent.glob(pattern.name) if path.is_dir())
    if not folders:
        return MachineCheck("releases", State.OK, "none installed yet")
    names = [path.name.split("-")[1] for path in folders]
    wheels = [origin_of(path) for path in folders]
    compared = [name for name, wheel in zip(names, wheels, strict=True) if wheel and wheel.index]
    others = [name for name in names if name not in compared]
    parts = []
    if compared:
        parts.append(f"{', '.join(compared)} (sha256 of the wheel as the index has it)")
    if others:
        parts.append(f"{', '.join(others)} (not compared with the index)")
    return MachineCheck("releases", State.OK, "; ".join(parts))


def check_disk(machine: Machine) -> MachineCheck:
    free = shutil.disk_usage(_nearest(machine.workdir)).free >> 20
    found = f"{free} MiB free"
    if free >= FREE_MIB:
        return MachineCheck("disk", State.OK, found)
    return MachineCheck(
        "disk", State.WARN, found, "an installed FlyDSL release takes about 300 MiB; make room"
    )


def check_linker(machine: Machine) -> MachineCheck:
    try:
        rocm = find_rocm(machine.workdir, machine.places)
    except UserError as error:
        return MachineCheck("ld.lld", State.MISSING, "none that works", str(error))
    except OSError as error:
        advice = "give a folder that can be written with --workdir"
        return MachineCheck("ld.lld", State.MISSING, f"can't be staged: {error}", advice)
    return MachineCheck("ld.lld", State.OK, f"{rocm.version}, from {rocm.origin}")


def check_bitcode(machine: Machine) -> MachineCheck:
    """Only kernels that call the device library (`__ocml_*`, `__ockl_*`) want it."""
    name = "device bitcode"
    advice = "only kernels that call __ocml_* or __ockl_* functions need it; it comes with ROCm"
    try:
        bitcode = find_rocm(machine.workdir, machine.places).bitcode
    except (UserError, OSError):
        bitcode = None
    if bitcode is None:
        return MachineCheck(name, State.WARN, "none", advice)
    if not (bitcode / BITCODE_ABI_6).is_file():
        return MachineCheck(name, State.WARN, f"{bitcode}, too old: without {BITCODE_ABI_6}", advice)
    return MachineCheck(name, State.OK, str(bitcode))


def check_gpu(machine: Machine) -> MachineCheck:
    return MachineCheck("GPU", State.OK, installed_gpu(machine.nodes) or "none, and none is needed")


def check_git(machine: Machine) -> MachineCheck:
    return _program_check("git", machine, "needed to bisect commits")


def check_builds(machine: Machine) -> MachineCheck:
    """Only commits that no release covers are built."""
    name = "source builds"
    roots = cmake_roots(machine.places.rocm_roots, machine.places.system)
    wanted = needs(BuildMachine(machine.programs, machine.packages, roots, machine.headers))
    found = ", ".join(need.found for need in wanted if need.found) or "nothing"
    missing = [f"{need.name} ({need.advice})" for need in wanted if not need.found]
    if missing:
        advice = f"to build FlyDSL commits that no release covers, add {', '.join(missing)}"
        return MachineCheck(name, State.WARN, found, advice)
    advice = "MLIR comes with --mlir-path or is built, which takes hours: docs/source-builds.md"
    return MachineCheck(name, State.OK, found, advice)


def check_ccache(machine: Machine) -> MachineCheck:
    return _program_check("ccache", machine, "makes building many FlyDSL commits faster")


def _package_check(name: str, machine: Machine, advice: str) -> MachineCheck:
    version = distribution_version(name, *machine.packages)
    if version is None:
        return MachineCheck(name, State.MISSING, "not installed", advice)
    return MachineCheck(name, State.OK, version)


def _program_check(name: str, machine: Machine, why: str) -> MachineCheck:
    program = shutil.which(name, path=machine.programs)
    if program is None:
        return MachineCheck(
            name, State.WARN, "not found", f"{why}; install it with your system's package manager"
        )
    return MachineCheck(name, State.OK, program)


def _nearest(folder: Path) -> Path:
    """`folder`, or the nearest folder above it that exists."""
    absolute = folder.absolute()
    return next(path for path in (absolute, *absolute.parents) if path.exists())
