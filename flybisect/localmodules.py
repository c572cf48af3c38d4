"""The modules that lie beside a script, as Python would find them there.

Looked through, in this order: the script's folder; folders that the script puts into `sys.path` by
way of its own `__file__`; and the folders above it, up to the one that holds the project (`.git`,
`pyproject.toml`, `setup.py`, `setup.cfg`), which is where `python -m`, pytest and `PYTHONPATH=.` start.
"""

from __future__ import annotations

import importlib.util
import sys
import tokenize
from collections.abc import Mapping, Sequence
from pathlib import Path

from flybisect.script.flatten import MAIN, FlattenError, Module
from flybisect.script.paths import added_paths

PROJECT = (".git", "pyproject.toml", "setup.py", "setup.cfg")
NEVER = frozenset({"torch", "flydsl", "numpy", *sys.stdlib_module_names})
"""What a folder beside a script never stands for: the toolchain has its own."""


class LocalModules:
    """Finds and reads them; a `flybisect.script.flatten.Finder`."""

    def __init__(self, script: Path, text: str, given: Mapping[str, Module] | None = None) -> None:
        """`given`: modules that are there whatever the folders hold."""
        self.script = script.absolute()
        self.project = project_of(self.script)
        self.roots = _roots(self.script, text, self.project)
        self._given = dict(given or {})
        self._root_of: dict[str, Path | None] = {}

    def main(self, text: str) -> Module:
        """The script itself."""
        package = package_of(self.script)
        return Module(MAIN, text, str(self.script), package, self.script.name)

    def local(self, name: str) -> Module | None:
        if name in self._given:
            return self._given[name]
        root = self.root_of(name)
        if root is None:
            return None
        place = root.joinpath(*name.split("."))
        if (place / "__init__.py").is_file():
            return self._read(name, place / "__init__.py", name)
        source = place.with_name(f"{place.name}.py")
        if source.is_file():
            return self._read(name, source, name.rpartition(".")[0])
        if _is_namespace(place):
            return Module(name, "", str(place), name, self.shown(place))
        return None

    def installed(self, name: str) -> bool:
        return name in NEVER or _installed(name)

    def root_of(self, name: str) -> Path | None:
        """The folder that has to be in `sys.path` for a local module to be imported; None: not local."""
        top = name.split(".")[0]
        if top not in self._root_of:
            self._root_of[top] = self._find_root(top)
        return self._root_of[top]

    def _find_root(self, top: str) -> Path | None:
        if top in NEVER or not top.isidentifier():
            return None
        for root in self.roots:
            if (root / top / "__init__.py").is_file() or (root / f"{top}.py").is_file():
                return root if root == self.roots[0] or not _installed(top) else None
        if _installed(top):
            return None
        return next((root for root in self.roots if _is_namespace(root / top)), None)

    def _read(self, name: str, path: Path, package: str) -> Module:
        try:
            with tokenize.open(path) as file:
                text = file.read()
        except (OSError, SyntaxError, UnicodeDecodeError) as error:
            raise FlattenError(f"{self.shown(path)} cannot be read: {error}") from error
        return Module(name, text, str(path), package, self.shown(path))

    def shown(self, path: Path) -> str:
        """A path as sentences have it: from the project's folder, or the script's."""
        start = self.project or self.script.parent
        return str(path.relative_to(start)) if path.is_relative_to(start) else str(path)


def project_of(script: Path) -> Path | None:
    """The nearest folder at or above a script that a project starts at."""
    return next((each for each in script.parents if any((each / name).exists() for name in PROJECT)), None)


def _roots(script: Path, text: str, project: Path | None) -> Sequence[Path]:
    folder = script.parent
    found = [folder, *(Path(each) for each in added_paths(text, str(script)))]
    if project is not None:
        above = [each for each in folder.parents if each.is_relative_to(project)]
        # A folder inside a package is no place to import from.
        found += [each for each in above if not (each / "__init__.py").is_file()]
    else:
        top = folder
        while (top / "__init__.py").is_file() and top != top.parent:
            top = top.parent
        found.append(top)
    return list(dict.fromkeys(found))


def package_of(script: Path) -> str:
    names: list[str] = []
    folder = script.parent
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names)


def _is_namespace(folder: Path) -> bool:
    """A folder of modules without an `__init__.py`."""
    try:
        return folder.is_dir() and any(
            each.suffix == ".py" or (each.is_dir() and any(each.glob("*.py"))) for each in folder.iterdir()
        )
    except OSError:
        return False


def _installed(name: str) -> bool:
    """Asked of the environment that flybisect runs in."""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return False
    # A folder that happens to lie in the working directory is a namespace, and has no origin.
    return found is not None and found.origin is not None
