"""A PyPI release of FlyDSL, installed once into the working folder without touching the environment."""

from __future__ import annotations

import errno
import platform
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.errors import UserError
from flybisect.toolchain.assemble import toolchain_over
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.packages import Indexes, Listing, Wheel, WrongWheel, indexes, shown
from flybisect.toolchain.processes import run
from flybisect.toolchain.rocm import Rocm
from flybisect.toolchain.site import holds_flydsl
from flybisect.toolchain.store import Notify, built_once, silent
from flybisect.toolchain.wheel import Origin, keep

UNPACK_TIMEOUT = 600.0
"""Seconds; a wheel has 75 MB."""
FULL = (errno.ENOSPC, errno.EDQUOT)


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

    A pre-release is taken when it is named exactly. Raises UserError when there is no such version for this
    Python, the index cannot be reached, its wheel is not the one that the index lists, or the disk is full.
    pip's log stays in `toolchains/`.
    """
    site = release_folder(version, workdir)

    def install(folder: Path) -> None:
        notify(f"installing FlyDSL {version} from the package index (75 MB, once)")
        asked = indexes(index_url, extra_index_url)
        wheel = _wheel(version, asked.listing("flydsl"))
        with TemporaryDirectory(prefix=".wheel-", dir=folder) as scratch:
            path, sha256 = _fetched(wheel, asked, Path(scratch))
            _unpacked(version, path, folder, site.with_name(site.name + ".log"))
        if not holds_flydsl(folder):
            raise UserError(f"the wheel {path.name} of FlyDSL {version} holds no package `flydsl`")
        origin = Origin(path.name, sha256, shown(wheel.index))
        if wheel.sha256 is None:
            origin = Origin(path.name, sha256, None, f"{shown(wheel.index)} lists no sha256 for it")
            notify(f"the wheel of FlyDSL {version} was not compared with its index: {origin.why}")
        keep(origin, folder)

    try:
        built_once(site, install, notify)
    except OSError as error:
        if error.errno in FULL:
            raise UserError(
                f"the disk is full: FlyDSL {version} takes about 300 MiB in {site.parent}; "
                "make room there, or give another folder with --workdir"
            ) from error
        raise UserError(f"{site.parent} cannot be written: {error.strerror or error}") from error
    return toolchain_over(site, spec=version, kind="release", rocm=rocm, on_path=False)


def release_folder(version: str, workdir: Path) -> Path:
    """Where `version` lies, or will; a wheel's natives are for one Python, so the name says which."""
    return (
        workdir.absolute() / "toolchains" / f"flydsl-{version}-cp{sys.version_info[0]}{sys.version_info[1]}"
    )


def _wheel(version: str, listing: Listing) -> Wheel:
    wheel = listing.of(version)
    if wheel is not None:
        return wheel
    python = f"Python {platform.python_version()}"
    if listing.wheels:
        listed = sorted({each.version for each in listing.wheels})
        usual = [str(each) for each in listed if not each.is_prerelease] or [str(each) for each in listed]
        raise UserError(
            f"there is no FlyDSL {version} for {python} on the package index; there are {', '.join(usual)}"
        )
    if listing.problems:
        raise UserError(
            f"FlyDSL {version} could not be downloaded: {'; '.join(listing.problems)}; connect, or name an "
            "index that can be reached in pip's configuration"
        )
    raise UserError(
        f"the package index has no FlyDSL at all for {python}; FlyDSL has wheels for Linux x86-64 and "
        "Python 3.10 and newer"
    )


def _fetched(wheel: Wheel, asked: Indexes, folder: Path) -> tuple[Path, str]:
    name, where = wheel.package.filename, shown(wheel.index)
    try:
        return asked.fetch(wheel, folder)
    except WrongWheel as error:
        listed, own = error.args
        raise UserError(
            f"the wheel {name} that was downloaded is not the one that {where} lists, and was not installed: "
            f"its sha256 is {own}, but {where} says {listed}; look for a proxy or a mirror that answers in "
            "place of the index"
        ) from error
    except OSError as error:
        if error.errno in FULL:
            raise
        raise UserError(f"{name} could not be downloaded from {where}: {error}") from error


def _unpacked(version: str, path: Path, folder: Path, log: Path) -> None:
    done = run(
        [
            *(sys.executable, "-m", "pip", "install", str(path), "--target", str(folder), "--no-deps"),
            *("--no-index", "--no-input", "--disable-pip-version-check", "--progress-bar", "off"),
        ],
        timeout=UNPACK_TIMEOUT,
        log=log,
    )
    if done.ok:
        return
    if "No module named pip" in done.output:
        raise UserError("this Python has no pip, which unpacks FlyDSL releases; run `python -m ensurepip`")
    if "No space left on device" in done.output or "Disk quota exceeded" in done.output:
        raise OSError(errno.ENOSPC, "no space left on device")
    last = next((line for line in reversed(done.output.splitlines()) if line.strip()), "no output")
    raise UserError(f"pip could not install FlyDSL {version}: {last.strip()} (log: {log})")
