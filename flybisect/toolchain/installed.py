"""The FlyDSL of the interpreter that runs flybisect."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from flybisect.errors import UserError
from flybisect.toolchain.assemble import toolchain_over
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.rocm import Rocm
from flybisect.toolchain.site import version_in


def installed(rocm: Rocm | None = None) -> Toolchain:
    """Raises UserError when this interpreter has no FlyDSL, or not all that it imports."""
    site = installed_site()
    if site is None:
        raise UserError(
            f"FlyDSL is not installed in this Python ({sys.executable}); `pip install flydsl`, "
            "or name a release with --flydsl, as --flydsl 0.5.0"
        )
    return toolchain_over(site, spec="installed", kind="installed", rocm=rocm, on_path=True)


def installed_site() -> Path | None:
    """The folder that this interpreter takes `flydsl` from; found without importing it."""
    spec = importlib.util.find_spec("flydsl")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent.parent


def installed_version() -> str | None:
    """Version of the installed FlyDSL; None without one."""
    site = installed_site()
    return version_in(site) if site is not None else None
