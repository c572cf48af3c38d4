"""A PyPI release of FlyDSL, installed once into the working folder without touching the environment."""

from __future__ import annotations

import sys
from pathlib import Path

from flybisect.errors import UserError
from flybisect.toolchain import pip
from flybisect.toolchain.assemble import toolchain_over
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.processes import run
from flybisect.toolchain.rocm import Rocm
from flybisect.toolchain.site import holds_flydsl
from flybisect.toolchain.store import Notify, built_once, silent

INSTALL_TIMEOUT = 1800.0
"""Seconds; a wheel has 75 MB."""


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
    for this Python, the index can't be reached, or the disk is full; pip's log stays in `toolchains/`.
    """
    site = release_folder(version, workdir)
    log = site.with_name(site.name + ".log")

    def install(folder: Path) -> None:
        notify(f"installing FlyDSL {version} from the package index (75 MB, once)")
        done = run(_command(version, folder, index_url, extra_index_url), timeout=INSTALL_TIMEOUT, log=log)
        if not done.ok:
            raise pip.explain(version, done.output, log)
        if not holds_flydsl(folder):
            raise UserError(f"the FlyDSL {version} that pip installed holds no package `flydsl` (log: {log})")

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


def _command(version: str, folder: Path, index_url: str | None, extra_index_url: str | None) -> list[str]:
    return [
        *(sys.executable, "-m", "pip", "install", f"flydsl=={version}", "--target", str(folder)),
        *("--no-deps", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check"),
        *("--retries", "2", "--progress-bar", "off"),
        *(("--index-url", index_url) if index_url is not None else ()),
        *(("--extra-index-url", extra_index_url) if extra_index_url is not None else ()),
    ]
