"""From what a user writes after `--flydsl` to a Toolchain."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from flybisect.errors import UserError
from flybisect.toolchain.installed import installed, installed_site
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.path import from_path
from flybisect.toolchain.pristine import is_release
from flybisect.toolchain.release import release
from flybisect.toolchain.rocm import Rocm
from flybisect.toolchain.store import Notify, silent

_VERSION = re.compile(r"v?(\d+(?:\.\d+)+(?:(?:a|b|rc|\.post|\.dev)\d+)*(?:\+[0-9a-z.]+)?)", re.IGNORECASE)


def resolve(
    spec: str,
    workdir: Path,
    rocm: Rocm | None = None,
    *,
    index_url: str | None = None,
    extra_index_url: str | None = None,
    notify: Notify = silent,
) -> Toolchain:
    """`installed`, a version (`0.3.0`, `v0.3.0`, a pre-release by its exact name), or a folder.

    A release is installed below `workdir` when it is not there yet, which can take minutes; `notify`
    is told. Where this interpreter has that very release, its own is taken. Raises UserError with one
    sentence for everything that can't be had.
    """
    if spec == "installed":
        return installed(rocm)
    version = _VERSION.fullmatch(spec)
    if version is not None and not Path(spec).is_dir():
        wanted = _padded(version[1].lower())
        site = installed_site()
        if site is not None and is_release(site, wanted):
            return replace(installed(rocm), spec=wanted)
        return release(
            wanted, workdir, rocm, index_url=index_url, extra_index_url=extra_index_url, notify=notify
        )
    if os.sep in spec or (spec and Path(spec).is_dir()):
        return from_path(Path(spec).expanduser(), rocm, spec=spec)
    raise UserError(
        f"--flydsl {spec!r} is neither `installed`, nor a version such as 0.5.0, nor a folder with FlyDSL"
    )


def _padded(version: str) -> str:
    """`0.5` is `0.5.0`, as FlyDSL's versions are written and PEP 440 has it."""
    return f"{version}.0" if re.fullmatch(r"\d+\.\d+", version) else version
