"""Which Python files beside the script a trial says that it read."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.probe.conftest import Run

FILES = {
    "by_import.py": "import by_import_of_import\n",
    "by_import_of_import.py": "",
    "by_exec.py": "",
    "below/by_run_path.py": "",
    "by_spec.py": "",
    "by_cwd.py": "",
    "never.py": "",
    "data.txt": "",
}


@pytest.mark.parametrize("again", [False, True], ids=["first", "with compiled files"])
def test_whichever_way(run: Run, tmp_path: Path, again: bool) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    if again:
        import py_compile

        py_compile.compile(str(tmp_path / "by_import.py"), doraise=True)
    source = """
        import importlib.util, os, runpy, json
        import by_import
        here = os.path.dirname(os.path.abspath(__file__))
        exec(open(os.path.join(here, "by_exec.py")).read())
        exec(open("by_cwd.py").read())
        runpy.run_path(os.path.join(here, "below", "by_run_path.py"))
        spec = importlib.util.spec_from_file_location("x", os.path.join(here, "by_spec.py"))
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
        open("data.txt").read()
        open(__file__).read()
        open("mine.txt", "w").close()
    """
    seen = run(textwrap.dedent(source), folder=tmp_path)
    assert seen.exit_code == 0, seen.stderr
    assert seen.python_files == tuple(sorted(set(FILES) - {"never.py", "data.txt"}))


def test_none(run: Run, tmp_path: Path) -> None:
    assert run("import torch\n", folder=tmp_path).python_files == ()
