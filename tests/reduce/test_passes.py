"""The list of passes."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from pathlib import Path

from flybisect.reduce import passes
from flybisect.reduce.hint import Pass
from flybisect.reduce.passes import PASSES


def test_every_pass_of_the_folder_is_in_the_list() -> None:
    modules = [
        import_module(f"{passes.__name__}.{each.name}") for each in pkgutil.iter_modules(passes.__path__)
    ]
    defined = {id(each) for module in modules for each in vars(module).values() if isinstance(each, Pass)}
    assert defined == set(map(id, PASSES))


def test_every_pass_is_tried_by_example() -> None:
    examples = "".join(path.read_text() for path in Path(__file__).parent.glob("test_passes_*.py"))
    tried = set(re.findall(r"\b([a-z]+)\.[A-Z]", examples))
    assert {each.name for each in pkgutil.iter_modules(passes.__path__)} <= tried


def test_names_of_passes_say_one_thing() -> None:
    assert all(a.summary == b.summary for a in PASSES for b in PASSES if a.name == b.name)
    assert all(each.summary and "\n" not in each.summary for each in PASSES)
