from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of the files in a wheel built from the files that git knows."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.is_file() and name.split("/")[0] in (
            "flybisect",
            "oracles",
            "pyproject.toml",
            "README.md",
            "LICENSE",
        ):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes(path.read_bytes())
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", str(folder), str(source)]
    subprocess.run(command, check=True, timeout=150)
    (made,) = folder.glob("flybisect-*.whl")
    return set(zipfile.ZipFile(made).namelist())


def test_every_module_and_oracle_is_in_it(wheel: set[str]) -> None:
    own = {path.relative_to(ROOT).as_posix() for path in (ROOT / "flybisect").rglob("*.py")}
    shipped = {f"flybisect/oracles/{path.name}" for path in (ROOT / "oracles").iterdir() if path.is_file()}
    assert "flybisect/toolchain/model.py" in own and "flybisect/oracles/__init__.py" in shipped
    assert any(name.endswith(".yaml") for name in shipped)
    missing = (own | shipped) - wheel
    assert not missing, "name the folder under [tool.setuptools] packages in pyproject.toml"


def test_nothing_else_lands_at_the_top(wheel: set[str]) -> None:
    assert {name.split("/")[0].split("-")[0] for name in wheel} == {"flybisect"}
