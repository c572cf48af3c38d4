"""Whether a script can tell what arguments it was started with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

IGNORING_ARGV = frozenset(
    {"__future__", "flydsl", "torch", "numpy", "math", "functools", "itertools", "os", "typing"}
)
"""Top-level modules that do not look at `sys.argv` for a script."""


def reads_arguments(text: str) -> bool:
    """False only where it is sure: no name `argv`, and no import of a module that might look.

    Raises SyntaxError when the text does not parse.
    """
    tree = ast.parse(text)
    return "argv" in text or any(name not in IGNORING_ARGV for name in _imported(tree))


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "" if node.level else (node.module or "").split(".")[0]
        elif isinstance(node, ast.Name) and node.id == "__import__":
            yield ""
