"""What a script imports of the repository that FlyDSL comes from, as its `kernels/`."""

from __future__ import annotations

import ast
from collections.abc import Collection
from pathlib import Path


def imported_paths(source: str, script: Path, top: Collection[str]) -> tuple[str, ...]:
    """Folders at the top of the repository, of the names in `top`, that the script imports from.

    What lies beside the script goes before the repository for Python, so it is none of it.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return tuple(sorted(name for name in found & set(top) if not _beside(script, name)))


def _beside(script: Path, name: str) -> bool:
    return (script.parent / name).is_dir() or (script.parent / f"{name}.py").is_file()
