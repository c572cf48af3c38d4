"""Finding an LLD that can link what FlyDSL compiles.

FlyDSL starts `$ROCM_PATH/llvm/bin/ld.lld`. Any LLD will do that knows code object version 6
(LLVM 19 and newer), wherever it comes from.
"""

from __future__ import annotations

import importlib.machinery
import os
import re
import struct
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flybisect.toolchain.processes import run

OLDEST_LLD = 19


@dataclass(frozen=True)
class Places:
    """Where a linker is looked for, in this order."""

    rocm_roots: tuple[Path, ...] = ()
    """Roots of a ROCm: each may hold `llvm/bin/ld.lld` and `amdgcn/bitcode`."""
    path: tuple[Path, ...] = ()
    """Folders with programs."""
    packages: tuple[Path, ...] = ()
    """Folders with Python packages: ROCm's own (`rocm-sdk-core`) and `ziglang`, which has an LLD inside."""
    system: Path = Path("/usr")
    """Root of what the system's packages installed."""

    @classmethod
    def of_this_machine(cls) -> Places:
        """`$ROCM_PATH` (ROCm's own setting) and `/opt/rocm`, `$PATH`, and this interpreter's packages."""
        named = os.environ.get("ROCM_PATH")
        return cls(
            rocm_roots=(*([Path(named)] if named else []), Path("/opt/rocm")),
            path=tuple(Path(entry) for entry in os.get_exec_path() if entry),
            packages=tuple(Path(entry) for entry in sys.path if entry),
        )


@dataclass(frozen=True)
class LinkerCandidate:
    """A program that may be an LLD."""

    origin: str
    """For a reader: `ROCm`, `system` or `ziglang`, with the path where that says more."""
    command: tuple[str, ...]
    """The program, and what has to stand before the linker's own arguments."""
    root: Path | None = None
    """The ROCm it belongs to."""


@dataclass(frozen=True)
class Linker:
    """A candidate that was seen to link."""

    candidate: LinkerCandidate
    version: str
    """What it says of itself, as `LLD 19.1.7 (compatible with GNU linkers)`."""


def find_linker(places: Places) -> tuple[Linker | None, tuple[str, ...]]:
    """The first candidate that works, and a sentence for each one before it that does not."""
    refused: list[str] = []
    for candidate in candidates(places):
        said = run([*candidate.command, "--version"], timeout=30)
        version = said.output.strip().splitlines()[-1] if said.output.strip() else ""
        if not said.ok or "LLD" not in version:
            refused.append(f"{candidate.command[0]} does not run as ld.lld ({version or 'no output'})")
        elif trouble := _trouble_linking(candidate.command):
            refused.append(
                f"{candidate.command[0]} is {version} and cannot link for AMD GPUs ({trouble}); "
                f"LLD {OLDEST_LLD} or newer can"
            )
        else:
            return Linker(candidate, version), tuple(refused)
    return None, tuple(refused)


def candidates(places: Places) -> Iterator[LinkerCandidate]:
    """Every program that may be an LLD, best first. Starts nothing."""
    for root in (*places.rocm_roots, *_rocm_packages(places.packages)):
        program = root / "llvm/bin/ld.lld"
        if _is_program(program):
            yield LinkerCandidate(f"ROCm in {root}", (str(program),), root)
    for program in _system_programs(places):
        yield LinkerCandidate(f"system, {program}", (str(program),))
    ziglang = _package_folder("ziglang", places.packages)
    if ziglang is not None and _is_program(ziglang / "zig"):
        yield LinkerCandidate("Python package ziglang", (str(ziglang / "zig"), "ld.lld"))


def _rocm_packages(packages: tuple[Path, ...]) -> Iterator[Path]:
    """ROCm as installed by pip keeps its LLVM and its bitcode below `lib/`, like the `/opt/rocm` layout."""
    folder = _package_folder("_rocm_sdk_core", packages)
    if folder is not None:
        yield from (folder, folder / "lib")


def _system_programs(places: Places) -> Iterator[Path]:
    """`ld.lld` of `$PATH`; then `ld.lld-21`, … of `$PATH` and those of `/usr/lib/llvm-*`, newest first."""
    for folder in places.path:
        if _is_program(folder / "ld.lld"):
            yield folder / "ld.lld"
    numbered = [
        *(program for folder in places.path for program in folder.glob("ld.lld-*")),
        *places.system.glob("lib/llvm-*/bin/ld.lld"),
    ]
    yield from sorted((p for p in numbered if _is_program(p)), key=_number, reverse=True)


def _number(program: Path) -> int:
    found = re.search(r"(?:ld\.lld|llvm)-(\d+)", str(program))
    return int(found[1]) if found else 0


def _package_folder(name: str, packages: tuple[Path, ...]) -> Path | None:
    """Where a package lies, without importing it."""
    spec = importlib.machinery.PathFinder.find_spec(name, [str(p) for p in packages])
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def _is_program(path: Path) -> bool:
    """False also for what lies in a folder that may not be entered, where `Path.is_file` raises."""
    return os.access(path, os.X_OK) and path.is_file()


def _trouble_linking(command: tuple[str, ...]) -> str | None:
    """Links an empty AMD GPU object as FlyDSL's are; None when that works, else the linker's last words."""
    with tempfile.TemporaryDirectory(prefix="flybisect-") as folder:
        source, made = Path(folder, "empty.o"), Path(folder, "empty.hsaco")
        source.write_bytes(empty_amdgpu_object())
        linked = run([*command, "-shared", str(source), "-o", str(made)], timeout=30)
        if linked.ok and made.is_file():
            return None
        words = linked.output.strip().splitlines()
        if not words:
            return f"exit code {linked.code}"
        return "".join(c for c in words[-1].replace(folder + "/", "") if c.isprintable())


def empty_amdgpu_object() -> bytes:
    """A relocatable ELF file for gfx942, code object version 6, that holds nothing but its section names.

    Source of the numbers: LLVM's "User Guide for AMDGPU Backend", section "ELF Code Object".
    """
    os_abi_amdgpu_hsa, abi_version_6, machine_amdgpu, flags_gfx942 = 64, 4, 224, 0x4C
    names = b"\0.shstrtab\0"
    header_size = section_header_size = 64
    identity = b"\x7fELF" + bytes([2, 1, 1, os_abi_amdgpu_hsa, abi_version_6]) + bytes(7)
    header = struct.pack(
        "<HHIQQQIHHHHHH",
        *(1, machine_amdgpu, 1, 0, 0, header_size, flags_gfx942),
        *(header_size, 0, 0, section_header_size, 2, 1),
    )
    names_at = header_size + 2 * section_header_size
    names_section = struct.pack("<IIQQQQIIQQ", 1, 3, 0, 0, names_at, len(names), 0, 0, 1, 0)
    return identity + header + bytes(section_header_size) + names_section + names
