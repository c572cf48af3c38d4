"""A sparkline: a number over time in one line of text. Pure."""

from __future__ import annotations

from collections.abc import Sequence

BARS = "▁▂▃▄▅▆▇█"


def curve(points: Sequence[tuple[float, float]], until: float, width: int) -> str:
    """A step curve of points (time, value). A value holds until the next point; times rise to `until`."""
    if not points or width < 1:
        return ""
    top = max(value for _, value in points) or 1.0
    bars = []
    at = 0
    for column in range(width):
        moment = until * (column + 1) / width
        while at + 1 < len(points) and points[at + 1][0] <= moment:
            at += 1
        height = points[at][1] / top
        bars.append(BARS[min(len(BARS) - 1, int(height * len(BARS)))])
    return "".join(bars)
