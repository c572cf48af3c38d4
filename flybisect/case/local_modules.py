"""The modules that lie beside a script, as Python would find them there.

Looked through, in this order: the script's folder; folders that the script puts into `sys.path` by
way of its own `__file__`; and the folders above it, up to the one that holds the project (`.git`,
`pyproject.toml`, `setup.py`, `setup.cfg`), which is where `python -m`, pytest and `PYTHONPATH=.` start.
Files that the script loads by their path are modules, too; see `flybisect.source.pathloads`.
"""

from __future__ import annotations

import ast
import importlib.util
import keyword
import sys
import tokenize
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from flybisect.source.flatten.flatten import MAIN, FlattenError, Module
from flybisect.source.pathloads import Files, run_as_main, with_imports
from flybisect.source.paths import added_paths

PROJECT = (".git", "pyproject.toml", "setup.py", "setup.cfg")
NEVER = frozenset({"torch", "flydsl", "numpy", *sys.stdlib_module_names})
"""What a folder beside a script never stands for: the toolchain has its own."""


class LocalModules:
    """Finds and reads them; a `flybisect.source.flatten.flatten.Finder`."""

    def __init__(
        self,
        script: Path,
        text: str,
        given: Mapping[str, Module] | None = None,
        apart: Collection[str] = (),
    ) -> None:
        """`given`: modules that are there whatever the folders hold. `apart`: files that are no modules when
        they are loaded by their path."""
        self.script = script.absolute()
        self.project = project_of(self.script)
        self.roots = _roots(self.script, text, self.project)
        self._given = dict(given or {})
        self._root_of: dict[str, Path | None] = {}
        self._apart = frozenset(apart)
        self._files = Files(
            local=lambda name: self._place(name) is not None, module=self._by_path, text=self._in_place
        )
        self.by_path: dict[str, tuple[Path, bool]] = {}
        """Name → a file that is loaded by its path, and whether it runs as `__main__`."""
        self.in_place: set[str] = set()
        """Files whose text stands in place of their `exec`."""

    def main(self, text: str) -> Module:
        """The script itself."""
        package = package_of(self.script)
        return Module(
            MAIN,
            with_imports(text, str(self.script), self._files),
            str(self.script),
            package,
            self.script.name,
        )

    def local(self, name: str) -> Module | None:
        if name in self._given:
            return self._given[name]
        if name in self.by_path:
            path, as_main = self.by_path[name]
            module = self._read(name, path, "")
            return replace(module, text=run_as_main(module.text)) if as_main else module
        place = self._place(name)
        if place is None:
            return None
        if place.is_dir():
            return Module(name, "", str(place), name, self.shown(place))
        return self._read(name, place, name if place.name == "__init__.py" else name.rpartition(".")[0])

    def _place(self, name: str) -> Path | None:
        """The file of a local module; the folder of a namespace package."""
        root = self.root_of(name)
        if root is None:
            return None
        place = root.joinpath(*name.split("."))
        for file in (place / "__init__.py", place.with_name(f"{place.name}.py")):
            if file.is_file():
                return file
        return place if _is_namespace(place) else None

    def _by_path(self, path: str, as_main: bool) -> str | None:
        file = Path(path)
        if path in self._apart or file == self.script or not _is_python(file):
            return None
        for name, known in self.by_path.items():
            if known == (file, as_main):
                return name
        stem = file.stem
        if not as_main and stem.isidentifier() and self._place(stem) == file:
            return stem
        wanted = "".join(each if each.isalnum() and each.isascii() else "_" for each in stem)
        taken = NEVER | self.by_path.keys() | self._given.keys()
        for name in (wanted, f"{file.parent.name}_{wanted}", *(f"{wanted}_by_path{n}" for n in range(99))):
            usable = name.isidentifier() and not keyword.iskeyword(name) and name not in taken
            if usable and self._place(name) is None and not _installed(name):
                self.by_path[name] = file, as_main
                return name
        return None

    def _in_place(self, path: str) -> str | None:
        file = Path(path)
        if path in self._apart or file == self.script or not _is_python(file):
            return None
        text = file.read_text(encoding="utf-8-sig")
        if "__future__" in text:
            return None
        self.in_place.add(path)
        return text

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
        return Module(name, with_imports(text, str(path), self._files), str(path), package, self.shown(path))

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


def _is_python(file: Path) -> bool:
    """Whether it is a file that Python could run."""
    try:
        ast.parse(file.read_text(encoding="utf-8-sig")) if file.is_file() else None
    except (OSError, SyntaxError, ValueError, RecursionError):
        return False
    return file.is_file()


def _installed(name: str) -> bool:
    """Asked of the environment that flybisect runs in."""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return False
    # A folder that happens to lie in the working directory is a namespace, and has no origin.
    return found is not None and found.origin is not None
