"""One commit's Python over the natives of a release.

`flydsl/_mlir` is what git has not: shared libraries, and the Python that a build generates. The rest of the
package is the commit's `python/flydsl`, file by file (seen on all releases whose commit is known). So a
commit whose C++ is a release's needs no build: its Python with that `_mlir` linked into it is what the
build would have been.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

from flybisect.errors import UserError
from flybisect.toolchain.assemble import toolchain_over
from flybisect.toolchain.model import Exactness, Toolchain
from flybisect.toolchain.release import release_folder
from flybisect.toolchain.rocm import Rocm
from flybisect.toolchain.site import holds_flydsl
from flybisect.toolchain.store import Notify, built_once, silent

NATIVES = ("flydsl/_mlir", "flydsl.libs")
"""What a release lends, where it has it."""

Write = Callable[[Path], None]
"""Fills an empty folder with the package `flydsl`, and what else belongs on `sys.path` beside it."""


def overlay(
    natives: Path,
    version: str,
    write: Write,
    identity: str,
    workdir: Path,
    rocm: Rocm | None = None,
    *,
    spec: str,
    exactness: Exactness,
    notify: Notify = silent,
) -> Toolchain:
    """What `write` makes, over the natives in the folder `natives` of the release `version`.

    `identity` names what `write` makes: equal texts, equal files. The folder is made once for each pair
    of it and the natives. Raises UserError where the two do not even lie together as a package.
    """
    folder = _folder(natives, version, identity, workdir)
    if folder.is_dir() and not (folder / "flydsl" / "_mlir" / "_mlir_libs").is_dir():
        shutil.rmtree(folder)  # the release that it was made over is gone

    def build(made: Path) -> None:
        write(made)
        if not holds_flydsl(made):
            raise UserError(f"{spec} has no package `flydsl` in python/flydsl; trees that old can't be used")
        for name in NATIVES:
            if (natives / name).is_dir():
                _link(made / name, natives / name)

    try:
        built_once(folder, build, notify)
    except OSError as error:
        raise UserError(f"{folder.parent} can't be written: {error.strerror or error}") from error
    return toolchain_over(folder, spec=spec, kind="overlay", rocm=rocm, on_path=False, exactness=exactness)


def _folder(natives: Path, version: str, identity: str, workdir: Path) -> Path:
    digest = hashlib.sha256(f"{natives.resolve()}\0{identity}".encode("utf-8", "surrogateescape"))
    tag = release_folder("", workdir).name.rpartition("-")[2]
    return release_folder("", workdir).with_name(f"overlay-{version}-{digest.hexdigest()[:12]}-{tag}")


def _link(place: Path, target: Path) -> None:
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.is_dir():
        shutil.rmtree(place)
    place.symlink_to(target.resolve(), target_is_directory=True)
