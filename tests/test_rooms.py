"""The rooms of flybisect, and which may import which. CONTRIBUTING.md draws the same map."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "flybisect"
ROOMS = (
    *("cli", "report", "terminal", "workflows", "bisect", "reduce", "judge", "session", "oracle"),
    *("cluster", "probe", "toolchain", "git", "case", "source", "search"),
)
"""From top to bottom: each may import what stands below it."""
NAMES_OF_THE_WORKER = ("case/variables.py", "probe.inside.settings")
"""What a case may hand on depends on the names that the worker holds, which stand in the worker's file."""
ALONE = {"source", "search", "observation", "errors"}
"""These import nothing of ours."""
TOP = {"__init__.py", "__main__.py", "errors.py", "observation.py", "py.typed"}
STARTS_PROCESSES = {"probe", "toolchain", "git"}
STARTS = re.compile(r"^\s*(import subprocess|from subprocess)|os\.(exec|spawn|fork|system)", re.MULTILINE)
PRINTS = {"cli", "report", "terminal"}


@dataclass(frozen=True)
class Import:
    """One module of ours that a module imports."""

    file: Path
    line: int
    module: str
    """As `judge.trials`."""

    @property
    def room(self) -> str:
        return self.module.partition(".")[0]

    def __str__(self) -> str:
        return f"{self.file.relative_to(PACKAGE)}:{self.line} imports {self.module}"


def files(room: str) -> list[Path]:
    """Of a room, or of the oracles that ship (a link)."""
    return sorted((PACKAGE / room).rglob("*.py"))


def is_module(dotted: str) -> bool:
    path = PACKAGE.joinpath(*dotted.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def imports(file: Path) -> Iterator[Import]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "flybisect":
            package = (node.module or "").removeprefix("flybisect").lstrip(".")
            for alias in node.names:
                inner = f"{package}.{alias.name}".lstrip(".")
                yield Import(file, node.lineno, inner if is_module(inner) else package)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "flybisect":
                    yield Import(file, node.lineno, alias.name.removeprefix("flybisect").lstrip("."))


def excepted(each: Import) -> bool:
    return (each.file.relative_to(PACKAGE).as_posix(), each.module) == NAMES_OF_THE_WORKER


def test_nothing_lies_loose_at_the_top() -> None:
    loose = {path.name for path in PACKAGE.iterdir() if path.is_file()}
    assert loose == TOP
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()} - {"__pycache__"}
    assert folders == {*ROOMS, "oracles"}


@pytest.mark.parametrize("room", ROOMS)
def test_imports_go_down(room: str) -> None:
    below = {"observation", "errors"} | set(ROOMS[ROOMS.index(room) + 1 :])
    allowed = set() if room in ALONE else below
    # `flybisect` itself is imported for its version alone.
    found = [each for file in files(room) for each in imports(file) if each.module]
    wrong = [str(each) for each in found if each.room not in {room, *allowed} and not excepted(each)]
    assert not wrong


@pytest.mark.parametrize("name", ["observation", "errors"])
def test_what_all_may_import_imports_nothing(name: str) -> None:
    assert not list(imports(PACKAGE / f"{name}.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_names_what_others_use(room: str) -> None:
    others = [file for other in (*ROOMS, "oracles") if other != room for file in files(other)]
    found = [each for file in (*others, *PACKAGE.glob("__*__.py")) for each in imports(file)]
    used = {each.module.partition(".")[2] for each in found if each.room == room}
    text = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))) or ""
    named = set(re.findall(r"`([\w.]+)`", text.partition("Other rooms use")[2]))
    assert named == used - {""}


def test_the_cluster_is_imported_where_trials_begin_and_only_when_asked() -> None:
    for room in ROOMS:
        for file in files(room) if room != "cluster" else ():
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                assert not (isinstance(node, ast.ImportFrom) and "flybisect.cluster" in (node.module or ""))


def test_the_worker_imports_nothing_of_ours() -> None:
    for file in files("probe/inside"):
        assert not list(imports(file)), file


@pytest.mark.parametrize("room", sorted(set(ROOMS) - STARTS_PROCESSES))
def test_processes_are_started_elsewhere(room: str) -> None:
    for file in files(room):
        text = file.read_text(encoding="utf-8")
        assert not re.search(
            r"^\s*(import subprocess|from subprocess)|os\.(exec|spawn|fork|system)", text, re.M
        ), file


@pytest.mark.parametrize("room", sorted(set(ROOMS) - PRINTS))
def test_nothing_is_printed_elsewhere(room: str) -> None:
    for file in files(room):
        if "inside" in file.parts or file.name in ("worker.py", "matcher.py"):  # in processes of their own
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"), file
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
                assert not any(name.split(".")[0] in ("rich", "typer") for name in names), file
