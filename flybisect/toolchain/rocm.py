"""The little of ROCm that a compile needs: `ld.lld`, and bitcode for kernels that call `__ocml_*`."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from flybisect.errors import UserError
from flybisect.toolchain.fingerprint import combine
from flybisect.toolchain.linker import Linker, Places, find_linker

BITCODE_ABI_6 = "oclc_abi_version_600.bc"
"""The file that FlyDSL's default ABI wants; Debian's `rocm-device-libs` 5.2 lacks it."""


@dataclass(frozen=True)
class Rocm:
    """What stands for `$ROCM_PATH`."""

    root: Path
    """Holds `llvm/bin/ld.lld` and, where `bitcode` is not None, `amdgcn/bitcode`."""
    origin: str
    """Where the linker is from, for a reader."""
    linker: Path
    """The program that is run in the end."""
    bitcode: Path | None
    """Where the bitcode is from."""
    version: str = ""
    """What the linker says of itself."""

    @property
    def key(self) -> str:
        """Changes with the linker's version and with the set of bitcode."""
        files = sorted(self.bitcode.glob("*.bc")) if self.bitcode is not None else []
        return combine(self.version, *(f"{path.name} {path.stat().st_size}" for path in files))


def find_rocm(workdir: Path, places: Places | None = None) -> Rocm:
    """A ROCm that is installed and whole, else a folder `workdir/rocm` staged from what is there.

    `places` defaults to this machine's. Raises UserError, with what to do, when no linker works.
    """
    if places is None:
        places = Places.of_this_machine()
    linker, refused = find_linker(places)
    if linker is None:
        raise UserError(
            "no working ld.lld was found, which FlyDSL needs to link what it compiles; install one with "
            "`pip install ziglang`, or a system package (`apt install lld-19`), or ROCm"
            + "".join(f"\n  seen: {sentence}" for sentence in refused)
        )
    own = linker.candidate.root
    bitcode = find_bitcode(places, own)
    root = own
    if root is None or (bitcode is not None and bitcode != root / "amdgcn/bitcode"):
        root = stage(workdir / "rocm", linker, bitcode)
    program = Path(linker.candidate.command[0])
    return Rocm(root.absolute(), linker.candidate.origin, program, bitcode, linker.version)


def find_bitcode(places: Places, own: Path | None) -> Path | None:
    """The folder of `ocml.bc`: of the linker's own ROCm, another ROCm, or the system's packages."""
    roots = [root for root in (own, *places.rocm_roots) if root is not None]
    found = [
        *(root / "amdgcn/bitcode" for root in roots),
        *(root / "llvm/amdgcn/bitcode" for root in roots),
        *sorted(places.system.glob("lib/llvm-*/lib/clang/*/amdgcn/bitcode"), reverse=True),
        *sorted(places.system.glob("lib/clang/*/amdgcn/bitcode"), reverse=True),
        *sorted(places.system.glob("lib/*/amdgcn/bitcode")),
    ]
    whole = [folder for folder in found if (folder / "ocml.bc").is_file()]
    return next(
        (folder for folder in whole if (folder / BITCODE_ABI_6).is_file()), whole[0] if whole else None
    )


def stage(root: Path, linker: Linker, bitcode: Path | None) -> Path:
    """Makes `root` look like a ROCm. Safe while other processes use or make the same one."""
    program = root / "llvm/bin/ld.lld"
    program.parent.mkdir(parents=True, exist_ok=True)
    command = linker.candidate.command
    if len(command) == 1:
        # LLD goes by the name that it is called under, and a link keeps the name.
        _replace_by_link(program, Path(command[0]))
    else:
        _replace_by_script(program, f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
    libraries = root / "amdgcn/bitcode"
    libraries.parent.mkdir(exist_ok=True)
    if bitcode is not None:
        _replace_by_link(libraries, bitcode)
    else:
        libraries.unlink(missing_ok=True)
    return root


def _replace_by_link(path: Path, target: Path) -> None:
    if path.is_symlink() and path.readlink() == target:
        return
    temporary = _beside(path)
    temporary.symlink_to(target)
    temporary.replace(path)


def _replace_by_script(path: Path, text: str) -> None:
    if not path.is_symlink() and path.is_file() and path.read_text() == text:
        return
    temporary = _beside(path)
    temporary.write_text(text)
    temporary.chmod(0o755)
    temporary.replace(path)


def _beside(path: Path) -> Path:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    return temporary
