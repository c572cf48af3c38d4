"""A PyPI release of FlyDSL, installed once into the working folder without touching the environment."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.errors import UserError
from flybisect.toolchain import pip
from flybisect.toolchain.assemble import toolchain_over
from flybisect.toolchain.hashes import indexes
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.processes import run
from flybisect.toolchain.rocm import Rocm
from flybisect.toolchain.site import holds_flydsl
from flybisect.toolchain.store import Notify, built_once, silent
from flybisect.toolchain.wheel import Wheel, checked, keep

INSTALL_TIMEOUT = 1800.0
"""Seconds; a wheel has 75 MB."""
PLAIN = (
    *("--no-deps", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check"),
    *("--progress-bar", "off"),
)


def release(
    version: str,
    workdir: Path,
    rocm: Rocm | None = None,
    *,
    index_url: str | None = None,
    extra_index_url: str | None = None,
    notify: Notify = silent,
) -> Toolchain:
    """FlyDSL `version` with this interpreter's torch and numpy, installed when it is not there yet.

    A pre-release is taken when it is named exactly. Raises UserError when there is no such version
    for this Python, the index can't be reached, its wheel is not the one that the index lists, or the disk is
    full; pip's log stays in `toolchains/`.
    """
    site = release_folder(version, workdir)
    log = site.with_name(site.name + ".log")

    def install(folder: Path) -> None:
        notify(f"installing FlyDSL {version} from the package index (75 MB, once)")
        with TemporaryDirectory(prefix=".wheel-", dir=folder) as scratch:
            path = _downloaded(version, Path(scratch), index_url, extra_index_url, log)
            wheel = checked(path, indexes(index_url, extra_index_url))
            if wheel.index is None:
                notify(f"the wheel of FlyDSL {version} was not compared with its index: {wheel.why}")
            _unpacked(version, wheel, path, folder, log)
        if not holds_flydsl(folder):
            raise UserError(f"the FlyDSL {version} that pip installed holds no package `flydsl` (log: {log})")
        keep(wheel, folder)

    try:
        built_once(site, install, notify)
    except OSError as error:
        raise UserError(f"{site.parent} can't be written: {error.strerror or error}") from error
    return toolchain_over(site, spec=version, kind="release", rocm=rocm, on_path=False)


def release_folder(version: str, workdir: Path) -> Path:
    """Where `version` lies, or will; a wheel's natives are for one Python, so the name says which."""
    return (
        workdir.absolute() / "toolchains" / f"flydsl-{version}-cp{sys.version_info[0]}{sys.version_info[1]}"
    )


def _downloaded(
    version: str, folder: Path, index_url: str | None, extra_index_url: str | None, log: Path
) -> Path:
    done = run(
        [
            *(sys.executable, "-m", "pip", "download", f"flydsl=={version}", "--dest", str(folder)),
            *(*PLAIN, "--retries", "2"),
            *(("--index-url", index_url) if index_url is not None else ()),
            *(("--extra-index-url", extra_index_url) if extra_index_url is not None else ()),
        ],
        timeout=INSTALL_TIMEOUT,
        log=log,
    )
    found = list(folder.glob("*.whl"))
    if not done.ok or len(found) != 1:
        raise pip.explain(version, done.output, log)
    return found[0]


def _unpacked(version: str, wheel: Wheel, path: Path, folder: Path, log: Path) -> None:
    """That very file: pip finds no other, and takes none with another hash."""
    wanted = path.with_name("wanted.txt")
    wanted.write_text(f"flydsl=={version} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    done = run(
        [
            *(sys.executable, "-m", "pip", "install", "--requirement", str(wanted), "--target", str(folder)),
            *(*PLAIN, "--no-index", "--find-links", str(path.parent), "--require-hashes"),
        ],
        timeout=INSTALL_TIMEOUT,
        log=log,
    )
    if not done.ok:
        raise pip.explain(version, done.output, log)
