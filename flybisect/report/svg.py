"""Elements of SVG, and axes. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

INK, FAINT, GRID = "#1f2933", "#616e7c", "#dde2e8"
BAD, GOOD, SKIP, BASE, LINE = "#c2413b", "#3f8f5f", "#b8c0ca", "#8fb8de", "#2f6fb0"
"""Colours: shows the bug, clean, cannot be judged; the baseline; a curve."""
FONT = "font-family='system-ui, sans-serif'"


def svg(width: float, height: float, parts: Iterable[str], label: str) -> str:
    """A whole picture. It scales with its container, and `label` describes it to screen readers."""
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" role="img" aria-label={quoteattr(label)} {FONT} font-size="12">\n{body}\n</svg>'
    )


def text(x: float, y: float, words: str, *, anchor: str = "start", fill: str = INK, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}" {more}>{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, stroke: str = GRID) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}"/>'


def rect(x: float, y: float, width: float, height: float, fill: str, *, tip: str = "", more: str = "") -> str:
    """`tip` shows when the mouse rests on it."""
    title = f"<title>{escape(tip)}</title>" if tip else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}" '
        f'fill="{fill}" {more}>{title}</rect>'
    )


def ticks(top: float, most: int = 5) -> list[float]:
    """Round numbers from 0 to at least `top`."""
    if top <= 0:
        return [0.0, 1.0]
    rough = top / most
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough)
    step = max(step, 1.0)
    return [step * at for at in range(math.ceil(top / step) + 1)]


def legend(x: float, y: float, entries: Sequence[tuple[str, str]]) -> list[str]:
    """Pairs of a colour and a word."""
    parts = []
    for fill, word in entries:
        parts += [rect(x, y - 9, 10, 10, fill), text(x + 15, y, word, fill=FAINT)]
        x += 15 + 7.0 * len(word) + 18
    return parts
