"""Flattening files in a folder, and running them with Python."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from flybisect.case.local_modules import LocalModules
from flybisect.source.flatten.flatten import Flat, flatten


def lay_out(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files; the path of `script.py` among them."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "script.py"


def flattened(script: Path) -> Flat:
    text = script.read_text(encoding="utf-8")
    modules = LocalModules(script, text)
    return flatten(modules.main(text), modules)


def output(script: Path, *argv: str) -> tuple[int, str, str]:
    """Exit code, what it printed, and the last line of its errors."""
    ran = subprocess.run(
        [sys.executable, "-S", str(script), *argv], capture_output=True, text=True, check=False, timeout=60
    )
    return ran.returncode, ran.stdout, ran.stderr.strip().rpartition("\n")[2]


def both(folder: Path, files: Mapping[str, str]) -> Flat:
    """Flatten; the script alone in a folder has to do what it did among its modules."""
    script = lay_out(folder / "whole", files)
    flat = flattened(script)
    alone = lay_out(folder / "alone", {"script.py": flat.text})
    there = output(script)
    assert there[0] == 0, there
    assert output(alone) == there, flat.text
    return flat
