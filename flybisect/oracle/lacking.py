"""What a script needs and this machine lacks: packages, files, bitcode, a GPU driver. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from flybisect.observation import ExceptionFacts
from flybisect.oracle.normalize import headline

_MODULE = re.compile(r"No module named '(?P<name>[\w.]+)'")
_BITCODE = re.compile(r"amdgcn bitcode path: .{0,1000}? does not exist")
_NO_FILE = re.compile(r"No such file or directory: (?P<name>'[^']{1,200}')")
_TYPES = frozenset(
    {
        "ImportError",
        "ModuleNotFoundError",
        "FileNotFoundError",
        "PermissionError",
        "ConnectionError",
        "ConnectionRefusedError",
        "URLError",
        "gaierror",
        "Skipped",
        "SkipTest",
    }
)
"""The last two say that a test skips itself."""
_MESSAGES = re.compile(
    r"cannot open shared object file|Found no NVIDIA driver|No (?:HIP|CUDA) GPUs are available"
    r"|Torch not compiled with CUDA|[Nn]o ROCm-capable device|(?:HIP|CUDA) (?:runtime )?error|\bhipError\w+"
    r"|Read-only file system|Network is unreachable|Temporary failure in name resolution"
)


def lacks_bitcode(said: Iterable[str]) -> bool:
    """True if the compiler did not find AMD's device library."""
    return any(_BITCODE.search(text) for text in said if "amdgcn bitcode path" in text)


def missing_dependency(exception: ExceptionFacts, missing: Iterable[str] = ()) -> str | None:
    """What was missing, in a few words. None if the exception has another cause.

    `missing`: what the script asked for and did not get (`flybisect.observation.Observation.missing`).
    """
    plain = headline(exception.message)
    if exception.type not in _TYPES and not _MESSAGES.search(plain):
        return None
    module = _MODULE.search(plain)
    if module is not None:
        kind = "module" if "." in module["name"] else "package"
        return f"the {kind} {module['name']} is not installed"
    if exception.type in ("Skipped", "SkipTest"):
        return f"the script skips itself: {plain}" if plain else "the script skips itself"
    file = _NO_FILE.search(plain)
    if file is not None:
        program = f"the program {file['name'][1:-1]} is not installed"
        return program if program in missing else f"the file {file['name'][1:-1]} does not exist"
    return f"{exception.type}: {plain}" if plain else exception.type
