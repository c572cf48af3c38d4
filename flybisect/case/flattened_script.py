"""A script as trials run it: with the modules beside it in its text, or with the way to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from flybisect.case.local_modules import LocalModules
from flybisect.source.flatten.flatten import Flat, FlattenError, flatten
from flybisect.source.flatten.write import with_head


@dataclass(frozen=True)
class FlattenedScript:
    """A script that may import modules beside it."""

    text: str
    """As it was written."""
    source: str
    """The same, with its modules' folders in `sys.path` where Python would not look there."""
    flat: str | None = None
    """With its modules in its text; None where it imports none, or it cannot be done."""
    modules: tuple[str, ...] = ()
    left: tuple[tuple[str, str], ...] = ()
    """Modules that the flat script still imports, and why."""
    problem: str | None = None
    """Why it cannot be flattened, in one sentence."""
    test: str | None = None
    """The test of a pytest file that it was made of."""

    def called(self, script: Path) -> Path:
        """How a command line names it."""
        return script if self.test is None else Path(f"{script}::{self.test}")


def flattened_script(script: Path, text: str) -> FlattenedScript:
    """Look for the script's modules. Never raises for what is wrong in them; see `problem`."""
    modules = LocalModules(script, text)
    try:
        flat, modules = _flat(script, text)
    except FlattenError as error:
        return FlattenedScript(text, with_paths(text, modules.roots[1:]), problem=str(error))
    if flat.text == text and not flat.left:
        return FlattenedScript(text, text)
    every = [*flat.modules, *(name for name, _ in flat.left)]
    loaded = [path for path, _ in modules.by_path.values()] + [Path(path) for path in modules.in_place]
    if any(not path.is_relative_to(modules.script.parent) for path in loaded):
        # A trial's folder has what lies beside the script and below, and `__file__` is there.
        whole = flat_text(modules, flat)
        return FlattenedScript(whole, whole, modules=flat.modules, left=flat.left)
    return FlattenedScript(
        text=text,
        source=with_paths(text, _ways(modules, every)),
        flat=flat_text(modules, flat) if flat.modules or modules.in_place else None,
        modules=flat.modules,
        left=flat.left,
    )


def _flat(script: Path, text: str) -> tuple[Flat, LocalModules]:
    """A file that is loaded by its path and cannot be part of the script is loaded as before."""
    apart: set[str] = set()
    while True:
        modules = LocalModules(script, text, apart=apart)
        failed = None
        try:
            flat = flatten(modules.main(text), modules)
        except FlattenError as error:
            failed = error
        loaded = {name: str(path) for name, (path, _) in modules.by_path.items()}
        if failed is None:
            left = {loaded[name] for name, _ in flat.left if name in loaded}
            if not left:
                return flat, modules
        else:
            left = {*loaded.values(), *modules.in_place}
            if not left:
                raise failed
        apart |= left


def flat_text(modules: LocalModules, flat: Flat) -> str:
    """The text, with the folders in `sys.path` that it still imports from."""
    return with_paths(flat.text, _ways(modules, (name for name, _ in flat.left)))


def with_paths(text: str, folders: Iterable[Path]) -> str:
    """A script that looks into more folders for what it imports, behind its own."""
    paths = [str(folder) for folder in folders]
    return text if not paths else with_head(text, f"import sys\nsys.path[1:1] = {paths!r}\n")


def _ways(modules: LocalModules, names: Iterable[str]) -> list[Path]:
    """Folders that have to be in `sys.path`, the script's own left out."""
    roots = [modules.root_of(name) for name in names]
    return [root for root in dict.fromkeys(roots) if root is not None and root != modules.script.parent]
