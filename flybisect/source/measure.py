"""How large a script is, in the order in which size counts."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Size:
    """Compared field by field; an edit is only worth a trial when it makes this smaller."""

    parts: int
    """Statements, parameters and loop variables: what a reader has to follow."""
    nodes: int
    """Nodes of the syntax tree."""
    numbers: float
    """Sum of log2(1 + |n|) over the numbers: their bits."""
    characters: int


def size_of(text: str) -> Size:
    """Raises SyntaxError when the text does not parse."""
    parts = nodes = 0
    bits = 0.0
    for node in ast.walk(ast.parse(text)):
        nodes += 1
        parts += isinstance(node, (ast.stmt, ast.arg))
        if isinstance(node, ast.For):
            parts += len(node.target.elts) if isinstance(node.target, ast.Tuple) else 1
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            bits += _bits(node.value)  # type: ignore[arg-type]
    return Size(parts, nodes, round(bits, 6), len(text))


def _bits(number: int | float) -> float:
    if isinstance(number, int):
        return math.log2(1 + abs(number)) if number.bit_length() < 1000 else float(number.bit_length())
    return 0.0 if number == 0 else 1.0 if number == 1 else 8.0 if math.isfinite(number) else 9.0
