"""What a build log says: its last errors, and whether the machine is to blame instead of the commit."""

from __future__ import annotations

import re
from collections.abc import Callable

QUOTED = 3
"""Errors; the log has them all."""
LONGEST = 300
"""Characters of one."""

_ERROR = re.compile(
    r"\berror:|\bfatal:|\bError\b.*:|CMake Error|undefined reference|cannot find|ImportError|"
    r"command not found|No such file",
)
_NOISE = re.compile(r"^(ninja|g?make(\[\d+\])?|gmake|collect2|clang(\+\+)?): |^CMake Error: ")
_NO_NETWORK = re.compile(
    r"Could not resolve host|unable to access|Could not read from remote|Connection (refused|timed out)|"
    r"Network is unreachable|Temporary failure in name resolution|NewConnectionError"
)
_PACKAGE = re.compile(r'package\s+configuration\s+file\s+provided\s+by\s+"([\w.+-]+)"')
_OTHER_VERSION = re.compile(
    r'configuration\s+file\s+for\s+package\s+"([\w.+-]+)"\s+that\s+is\s+compatible\s+with\s+requested\s+'
    r'version\s+"([^"]+)"'
)
_BROKEN = re.compile(
    r"CMake Error at (/\S*?([\w.+]+?)(?:-config|Config)\.cmake):\d+ .*:\s+(\S.*(?:\n\s+\S.*)*)"
)
"""An absolute path is none of the commit's own files: those are named from its root."""
_COMMAND = re.compile(r"([\w.+-]+): (?:command )?not found\b|which: no ([\w.+-]+) in")

_HIP = "install ROCm's, or `apt install libamdhip64-dev hipcc`"
_ADVICE = {
    **dict.fromkeys(
        ("hip", "amd_comgr", "hsa-runtime64", "AMDDeviceLibs"),
        f"HIP's CMake package is missing or not whole: {_HIP}",
    ),
    "nanobind": "nanobind is missing: `pip install 'nanobind<3'`",
    "MLIR": "no usable MLIR was found there; --mlir-path takes an install with lib/cmake/mlir",
    "LLVM": "the MLIR install has no LLVM beside it (lib/cmake/llvm)",
}


def last_errors(output: str) -> str:
    """The last errors of a build in one line; where none looks like one, the last line."""
    lines = [line.strip() for line in output.splitlines()]
    told = [_with_message(lines, at) for at, line in enumerate(lines) if _ERROR.search(line)]
    errors = [line for line in told if not _NOISE.match(line)] or told
    if not errors:
        errors = [line for line in lines if line][-1:] or ["it printed nothing"]
    unique = list(dict.fromkeys(errors))[-QUOTED:]
    return "; ".join(line[:LONGEST] for line in unique)


def _with_message(lines: list[str], at: int) -> str:
    """CMake puts what is wrong below the line that says where."""
    if not re.match(r"CMake Error at .*:$", lines[at]):
        return lines[at]
    return " ".join([lines[at], next((line for line in lines[at + 1 :] if line), "")]).strip()


def lacks(output: str) -> str | None:
    """What this machine lacks, when that is why the build failed; no other commit will build either."""
    for judge in _MACHINE:
        said = judge(output)
        if said is not None:
            return said
    return None


def lacks_a_file(output: str) -> bool:
    """Whether a header or another file was not found, as where a submodule is missing."""
    return re.search(r"No such file or directory|file not found", output) is not None


def no_network(output: str) -> bool:
    return _NO_NETWORK.search(output) is not None


def _full_disk(output: str) -> str | None:
    if "No space left on device" in output or "Disk quota exceeded" in output:
        return "the disk is full: make room, or give another folder with --workdir"
    return None


def _no_memory(output: str) -> str | None:
    if re.search(
        r"Killed signal terminated program|out of memory allocating|virtual memory exhausted", output
    ):
        return "the compiler ran out of memory: give fewer --jobs"
    return None


def _no_compiler(output: str) -> str | None:
    if re.search(r"No CMAKE_C(XX)?_COMPILER could be found", output):
        return "there is no C++ compiler: install g++ or clang"
    if "unable to find a build program" in output:
        return "there is neither ninja nor make: `pip install ninja`"
    return None


def _no_package(output: str) -> str | None:
    found = _PACKAGE.search(output)
    name = found[1] if found is not None else ""
    return _ADVICE.get(name)


def _other_version(output: str) -> str | None:
    found = _OTHER_VERSION.search(output)
    if found is None:
        return None
    if found[1] == "nanobind":
        return nanobind_wanted(found[2])
    return f"{found[1]} is installed, but no version of it satisfies {found[2]}, which the build requires"


def nanobind_wanted(version: str) -> str:
    """What to say where MLIR asks for nanobind `version` and finds one that does not go for it: an older
    one, or one of another major version."""
    after = int(version.split(".")[0]) + 1
    return f"MLIR asks for nanobind {version}: `pip install 'nanobind>={version},<{after}'`"


def _broken_package(output: str) -> str | None:
    found = _BROKEN.search(output)
    if found is None:
        return None
    said = " ".join(found[3].split())[:LONGEST]
    advice = f"; {_HIP}" if found[2] in ("hip", "hip-lang") else ""
    return f"the CMake package {found[2]} does not work ({found[1]}: {said}){advice}"


def _no_bindings(output: str) -> str | None:
    if re.search(r"MLIRPythonSources[.\w]*\W.*(not found|does not exist|not (an )?existing)", output):
        return "the MLIR install lacks the sources of its Python bindings (MLIR_ENABLE_BINDINGS_PYTHON=ON)"
    return None


def _no_command(output: str) -> str | None:
    found = _COMMAND.search(output)
    if found is None or (found[1] or found[2]) not in ("cmake", "patchelf", "ninja", "git", "which", "tar"):
        return None
    return f"{found[1] or found[2]} is missing: install it"


_MACHINE: tuple[Callable[[str], str | None], ...] = (
    _full_disk,
    _no_memory,
    _no_compiler,
    _no_package,
    _other_version,
    _broken_package,
    _no_bindings,
    _no_command,
)
