"""A FlyDSL that lies in a folder: installed there, or built in a checkout."""

from __future__ import annotations

from pathlib import Path

from flybisect.errors import UserError
from flybisect.toolchain.assemble import toolchain_over
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.rocm import Rocm
from flybisect.toolchain.site import holds_flydsl

BELOW = (
    ".",
    "..",
    "python_packages",
    "python",
    "build-fly/python_packages",
    "build/python_packages",
    "lib/python3.*/site-packages",
    "lib64/python3.*/site-packages",
)
"""Where `flydsl` lies, seen from a folder that a user may name: the one that holds it, the package
itself, a build folder, a checkout (where the built `_mlir` is linked into `python/flydsl`, or the build
folder is whole), a virtual environment."""


def from_path(folder: Path, rocm: Rocm | None = None, *, spec: str | None = None) -> Toolchain:
    """The FlyDSL in or below `folder`, run by this interpreter.

    Raises UserError when there is none, it is not built, or it is built for another Python.
    """
    site = site_below(folder)
    return toolchain_over(site, spec=spec or str(folder), kind="path", rocm=rocm, on_path=False)


def site_below(folder: Path) -> Path:
    """The folder that has to go on `sys.path`; one that is built is preferred. Raises UserError."""
    if not folder.is_dir():
        raise UserError(
            f"{folder} is not a folder; --flydsl takes `installed`, a version, or a folder with FlyDSL"
        )
    sites = [
        site.resolve()
        for pattern in BELOW
        for site in (sorted(folder.glob(pattern)) if "*" in pattern else [folder / pattern])
        if holds_flydsl(site) and (pattern != ".." or folder.resolve().name == "flydsl")
    ]
    if not sites:
        raise UserError(
            f"{folder} holds no FlyDSL: no package `flydsl` in it, nor in python_packages, python, "
            "build-fly/python_packages or lib/python3.*/site-packages below it"
        )
    return next((site for site in sites if (site / "flydsl" / "_mlir").is_dir()), sites[0])
