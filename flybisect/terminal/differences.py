"""Figures of a case and of its baseline by how much they differ, as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from flybisect.oracle.differences import Difference

SHOWN = 8
"""Most lines of a table; `--json` has all."""
LEAST_RATIO = 1.1
"""Of a difference that is shown."""
_HEAD = ("differs most", "this", "base", "ratio", "kind")


def difference_lines(found: Sequence[Difference]) -> list[str]:
    """A table, the largest ratio first; empty where nothing differs by much."""
    shown = [each for each in found if each.ratio >= LEAST_RATIO][:SHOWN]
    if not shown:
        return []
    rows = [
        _HEAD,
        *(
            (each.figure, str(each.this), str(each.base), f"{each.ratio:.1f}", each.kind.value)
            for each in shown
        ),
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEAD))]
    return [
        "  ".join(
            cell.rjust(width) if 0 < at < len(_HEAD) - 1 else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
