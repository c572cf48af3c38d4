"""A kernel's figures as lines of text, beside those of what it is compared with. Pure."""

from __future__ import annotations

from collections.abc import Mapping

BASE = "base."


def number(value: float) -> str:
    """`44`, `0.5`."""
    return str(int(value)) if value == int(value) else f"{value:.3g}"


def table(metrics: Mapping[str, float], base: str = "") -> list[str]:
    """One row for each metric that is not zero on both sides; a second column where `base` names one."""
    rows = [("", "this", base)] if base else []
    for name, value in metrics.items():
        if name.startswith((BASE, "first.")):
            continue
        other = metrics.get(BASE + name)
        if value == 0 and not other:
            continue
        rows.append((name, number(value), "-" if other is None else number(other)))
    if len(rows) <= bool(base):
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    shown = 3 if base else 2
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row[:shown], widths[:shown], strict=True))
        )
        for row in rows
    ]
