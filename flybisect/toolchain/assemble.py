"""A Toolchain from a folder that holds FlyDSL: the version, and the key over all that it compiles with."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from flybisect.errors import UserError
from flybisect.toolchain import fingerprint
from flybisect.toolchain.model import Exactness, Toolchain
from flybisect.toolchain.rocm import Rocm
from flybisect.toolchain.site import check_python, distribution_version, version_in


def toolchain_over(
    site: Path,
    *,
    spec: str,
    kind: str,
    rocm: Rocm | None,
    on_path: bool,
    exactness: Exactness = Exactness.EXACT,
) -> Toolchain:
    """The FlyDSL in `site`, run by this interpreter with its torch and numpy.

    `on_path` is True where this interpreter finds `site` by itself. Raises UserError when the natives
    do not fit this Python, or torch or numpy is missing.
    """
    check_python(site)
    interpreter = [Path(entry) for entry in sys.path if entry]
    shared = [_version_of(name, [site, *interpreter]) for name in ("torch", "numpy")]
    return Toolchain(
        spec=spec,
        kind=kind,
        key=fingerprint.combine(
            fingerprint.of_package(site),
            platform.python_version(),
            *shared,
            rocm.key if rocm is not None else "",
        ),
        version=version_in(site),
        python=Path(sys.executable),
        paths=() if on_path else (site,),
        exactness=exactness,
        rocm=rocm.root if rocm is not None else None,
    )


def _version_of(name: str, folders: list[Path]) -> str:
    version = distribution_version(name, *folders)
    if version is None:
        raise UserError(f"FlyDSL imports {name}, which this Python does not have; `pip install {name}`")
    return version
