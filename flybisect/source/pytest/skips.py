"""What pytest's `skip` and `skipif` marks come to in a plain script."""

from __future__ import annotations

import ast
from collections.abc import Callable

SKIPPED = '__import__("unittest").SkipTest'
"""Raised in a plain script where pytest would skip the test."""
_GLOBALS = '{name: __import__(name) for name in ("os", "sys", "platform")} | globals()'
"""What a condition that is a text may use."""


def guard(dotted: Callable[[ast.expr], str | None], mark: ast.expr) -> tuple[str, ...]:
    """Lines that end the script where the mark rules the test out; none for any other mark, and for one
    that uses pytest itself. `dotted`: the dotted name of what is pytest's."""
    arguments = mark.args if isinstance(mark, ast.Call) else []
    named = {each.arg: each.value for each in mark.keywords} if isinstance(mark, ast.Call) else {}
    name = dotted(mark.func if isinstance(mark, ast.Call) else mark)
    used = [*arguments, *named.values()]
    if any(dotted(each) for node in used for each in ast.walk(node) if isinstance(each, ast.Name)):
        return ()
    if name == "pytest.mark.skip":
        return (skip(named.get("reason", arguments[0] if arguments else None)),)
    conditions = [named["condition"]] if "condition" in named else arguments
    if name != "pytest.mark.skipif" or not conditions or any(map(_needs_config, conditions)):
        return ()
    return (f"if {' or '.join(map(_condition, conditions))}:", f"    {skip(named.get('reason'))}")


def skip(reason: ast.expr | None) -> str:
    return f"raise {SKIPPED}({repr('by its marks') if reason is None else ast.unparse(reason)})"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _needs_config(node: ast.expr) -> bool:
    """`config` is pytest's."""
    return _is_text(node) and "config" in ast.unparse(node)


def _condition(node: ast.expr) -> str:
    return f"eval({ast.unparse(node)}, {_GLOBALS})" if _is_text(node) else f"({ast.unparse(node)})"
