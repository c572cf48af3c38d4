"""An environment for the other reducers, apart from ours: none of them is imported here."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.bench.others.tools import Tool


def environment(folder: Path, python: str) -> Path:
    """Its `bin`. It is made with `python` where it is not there; Shrink Ray needs 3.12 or newer."""
    if not (folder / "bin" / "pip").exists():
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
    return folder / "bin"


def install(tool: Tool, bin: Path) -> str | None:
    """Why it can't be had; None where it is there."""
    if not tool.pins:
        return None if shutil.which("cvise") else "not installed on this machine (Debian: cvise)"
    quiet = ["--quiet", "--disable-pip-version-check", "--prefer-binary"]
    ended = subprocess.run(
        [str(bin / "pip"), "install", *quiet, *tool.pins], stderr=subprocess.PIPE, text=True, check=False
    )
    return None if ended.returncode == 0 else "does not install: " + ended.stderr.strip().splitlines()[-1]


def version(tool: Tool) -> str:
    if tool.pins:
        return tool.pins[0].partition("==")[2]
    shown = subprocess.run(["cvise", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return shown.split()[1]
