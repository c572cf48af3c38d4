"""How much of a difference has to stay in a reduced script, where a condition does not say. Pure.

A difference of one register can have any cause. So `vgprs > base.vgprs`, which names no amount, holds as long
as half of the unreduced script's difference is left. A condition that names the amount itself
(`vgprs >= base.vgprs + 1`) is taken as it stands, and so is a figure that is 0 without the bug, as spills.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

FROM_NOTHING = ("vgpr_spills", "sgpr_spills", "scratch_bytes")
"""Metrics that are 0 without the bug, so that any of them has the same cause."""


def is_from_nothing(figure: str) -> bool:
    """True for a figure that is 0 without the bug: these metrics, and the instructions that go with them."""
    return figure in FROM_NOTHING or figure.replace('"', "'").startswith("count('scratch_")


def half_stays(figure: str) -> str:
    """The condition for a figure that is higher than the baseline's."""
    return f"{figure} - base.{figure} >= (first.{figure} - first.base.{figure}) / 2"


def with_margins(text: str) -> str:
    """The condition, and that half of each difference without an amount stays."""
    own = text.strip()
    return " and ".join([own, *dict.fromkeys(_margins(ast.parse(own, mode="eval").body))])


def _margins(tree: ast.expr) -> Iterator[str]:
    """Of what has to hold in any case: the parts of an `or` need not."""
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        for each in tree.values:
            yield from _margins(each)
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        return
    left, right = ast.unparse(tree.left), ast.unparse(tree.comparators[0])
    if isinstance(tree.ops[0], ast.Lt):
        left, right = right, left
    elif not isinstance(tree.ops[0], ast.Gt):
        return
    for figure, base, stays in ((left, right, half_stays(left)), (right, left, _half_stays_below(right))):
        if base == f"base.{figure}" and not is_from_nothing(figure):
            yield stays


def _half_stays_below(figure: str) -> str:
    return f"base.{figure} - {figure} >= (first.base.{figure} - first.{figure}) / 2"
