"""A test of a pytest file, as a script: with its fixtures, its parameters, and the modules beside it."""

from __future__ import annotations

from pathlib import Path

from flybisect.errors import UserError
from flybisect.localmodules import LocalModules, package_of, project_of
from flybisect.onescript import OneScript, flat_text
from flybisect.script.flatten import FlattenError, Module, flatten
from flybisect.script.pytest_script import TestError, plain_script
from flybisect.scriptfile import read_script


def target_script(file: Path, text: str, test: str) -> OneScript:
    """Raises UserError where the test is not there, or needs what only pytest has."""
    found = LocalModules(file, text)
    try:
        plain = plain_script(found.main(text), test, _conftests(file, found))
        given = {module.name: module for module in plain.conftests}
        modules = LocalModules(file, plain.text, given)
        flat = flatten(modules.main(plain.text), modules)
    except (TestError, FlattenError) as error:
        raise UserError(str(error)) from error
    whole = flat_text(modules, flat)
    return OneScript(whole, whole, modules=flat.modules, left=flat.left, test=test)


def _conftests(file: Path, modules: LocalModules) -> list[Module]:
    """Those whose fixtures the file's tests can have, the nearest first."""
    project = project_of(file.absolute())
    found: list[Module] = []
    for folder in file.absolute().parents:
        path = folder / "conftest.py"
        if path.is_file():
            name = f"conftest_{len(found)}_of_{folder.name}".replace("-", "_").replace(".", "_")
            package = package_of(path)
            found.append(Module(name, read_script(path, path), str(path), package, modules.shown(path)))
        if project is None or folder == project:
            break
    return found
