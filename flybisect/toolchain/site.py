"""Facts about a folder that holds a `flydsl` package, read without importing it."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from pathlib import Path

from flybisect.errors import UserError

_VERSION = re.compile(r"""^__version__\s*(?::\s*\w+\s*)?=\s*["']([^"']+)["']""", re.MULTILINE)
_TAG = re.compile(r"\.cpython-(\d)(\d+)-")


def holds_flydsl(site: Path) -> bool:
    """True when `site` on `sys.path` makes `import flydsl` find a package."""
    return (site / "flydsl" / "__init__.py").is_file()


def version_in(site: Path) -> str:
    """FlyDSL's own version string; `unknown` where it states none."""
    try:
        stated = _VERSION.search((site / "flydsl" / "__init__.py").read_text("utf-8", "replace"))
    except OSError:
        stated = None
    return stated[1] if stated else (distribution_version("flydsl", site) or "unknown")


def distribution_version(name: str, *folders: Path) -> str | None:
    """Version of the distribution `name` that lies in the first of `folders` to have it."""
    for folder in folders:
        for found in importlib.metadata.distributions(name=name, path=[str(folder)]):
            return found.version
    return None


def natives_in(site: Path) -> list[Path]:
    """The native modules of the FlyDSL in `site`; empty where it is not built."""
    return sorted((site / "flydsl" / "_mlir" / "_mlir_libs").glob("_mlir*.so"))


def check_python(site: Path, python: tuple[int, int] = sys.version_info[:2]) -> None:
    """Raises UserError when the natives in `site` are missing or are built for other Pythons."""
    natives = natives_in(site)
    if not natives:
        raise UserError(
            f"{site}/flydsl has no native modules (flydsl/_mlir/_mlir_libs); it is not built, "
            "so give the folder of a build or an installed FlyDSL"
        )
    have = {(int(tag[1]), int(tag[2])) for path in natives if (tag := _TAG.search(path.name))}
    if have and python not in have:
        names = ", ".join(f"{major}.{minor}" for major, minor in sorted(have))
        raise UserError(
            f"the FlyDSL in {site} is built for Python {names}, this is Python {python[0]}.{python[1]}; "
            "run flybisect with that Python"
        )
