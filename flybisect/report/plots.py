"""The pictures of a report, as SVG. Pure. A picture without figures is None."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flybisect.report.svg import (
    BAD,
    BASE,
    FAINT,
    GOOD,
    GRID,
    INK,
    LINE,
    SKIP,
    legend,
    line,
    rect,
    svg,
    text,
    ticks,
)
from flybisect.report.tables import FIGURES, VERDICTS, failure_of
from flybisect.workflows.figures import number
from flybisect.workflows.findings import Findings

WIDTH = 860.0
LEFT, RIGHT = 56.0, 20.0
SIDES = {"bad": BAD, "good": GOOD, "skip": SKIP}


def pictures(found: Findings) -> dict[str, str]:
    """By name, fit for a file's."""
    named = {
        "reduction": reduction(found.curve),
        "releases": releases(_matrix(found), found.base if found.matrix else ""),
        "commits": commits(found.commits),
    }
    return {name: picture for name, picture in named.items() if picture is not None}


def reduction(curve: Sequence[tuple[int, int]]) -> str | None:
    """Statements left against compiles, as steps."""
    if len(curve) < 2:
        return None
    height, top, bottom = 260.0, 24.0, 40.0
    most, last = float(max(left for _, left in curve)), float(max(curve[-1][0], 1))
    marks_y, marks_x = ticks(most), ticks(last)

    def x(compiles: float) -> float:
        return LEFT + compiles / marks_x[-1] * (WIDTH - LEFT - RIGHT)

    def y(left: float) -> float:
        return height - bottom - left / marks_y[-1] * (height - top - bottom)

    parts = []
    for mark in marks_y:
        parts += [line(LEFT, y(mark), WIDTH - RIGHT, y(mark))]
        parts += [text(LEFT - 8, y(mark) + 4, number(mark), anchor="end", fill=FAINT)]
    for mark in marks_x:
        parts.append(text(x(mark), height - bottom + 18, number(mark), anchor="middle", fill=FAINT))
    path = f"M{x(curve[0][0]):.1f},{y(curve[0][1]):.1f}"
    for compiles, left in curve[1:]:
        path += f" H{x(compiles):.1f} V{y(left):.1f}"
    parts.append(f'<path d="{path} V{y(0):.1f} H{x(0):.1f} Z" fill="{LINE}" fill-opacity="0.12"/>')
    parts.append(f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="2"/>')
    end_x, end_y = x(curve[-1][0]), y(curve[-1][1])
    parts.append(f'<circle cx="{end_x:.1f}" cy="{end_y:.1f}" r="4" fill="{LINE}"/>')
    near = end_x > WIDTH - 160
    parts.append(
        text(
            end_x + (0 if near else 8),
            end_y - 10,
            f"{curve[-1][1]} statements",
            anchor="end" if near else "start",
        )
    )
    parts.append(text(LEFT, 14, "statements left", fill=FAINT))
    parts.append(text(WIDTH - RIGHT, height - 6, "compiles", anchor="end", fill=FAINT))
    label = f"From {curve[0][1]} to {curve[-1][1]} statements in {curve[-1][0]} compiles"
    return svg(WIDTH, height, parts, label)


def releases(rows: Sequence[Mapping[str, Any]], base: str) -> str | None:
    """A row of cells with the verdicts, and for each figure a bar for every release."""
    if not rows:
        return None
    shown = [
        (title, name)
        for title, name in FIGURES
        if any(row["metrics"].get(name) or row["metrics"].get(f"base.{name}") for row in rows)
    ][:3]
    slot = (WIDTH - LEFT - RIGHT) / len(rows)
    words = [(SIDES[side], VERDICTS[side]) for side in SIDES if any(row["side"] == side for row in rows)]
    words += [(BASE, base)] if base and shown else []
    parts = legend(LEFT, 14, words)
    at = 30.0
    for place, row in enumerate(rows):
        tip = f"{row['version']}: {failure_of(row) or VERDICTS[row['side']]}"
        parts.append(rect(LEFT + place * slot + 1, at, slot - 2, 16, SIDES[row["side"]], tip=tip))
    at += 30
    for title, name in shown:
        parts += _bars(rows, title, name, at, slot, bool(base))
        at += 160
    at += 4
    slanted = slot < 52
    for place, row in enumerate(rows):
        middle = LEFT + (place + 0.5) * slot
        if slanted:
            turned = f'transform="rotate(-40 {middle:.1f} {at + 12:.1f})"'
            parts.append(text(middle, at + 12, str(row["version"]), anchor="end", fill=FAINT, more=turned))
        else:
            parts.append(text(middle, at + 12, str(row["version"]), anchor="middle", fill=FAINT))
    return svg(WIDTH, at + (52 if slanted else 24), parts, f"Results of {len(rows)} FlyDSL releases")


def _bars(
    rows: Sequence[Mapping[str, Any]], title: str, name: str, top: float, slot: float, compared: bool
) -> list[str]:
    floor, room = top + 142.0, 104.0
    keys = [name, f"base.{name}"] if compared else [name]
    marks = ticks(max(float(row["metrics"].get(key) or 0) for row in rows for key in keys), 3)
    parts = [text(LEFT, top + 12, title, more='font-weight="600"')]
    for mark in marks:
        height = floor - mark / marks[-1] * room
        parts.append(line(LEFT, height, WIDTH - RIGHT, height))
        parts.append(text(LEFT - 8, height + 4, number(mark), anchor="end", fill=FAINT))
    width = min(slot * 0.8, 64.0) / len(keys)
    for place, row in enumerate(rows):
        start = LEFT + (place + 0.5) * slot - width * len(keys) / 2
        for turn, key in enumerate(keys):
            value = row["metrics"].get(key)
            if value is None:
                parts.append(text(start + width / 2, floor - 4, "–", anchor="middle", fill=FAINT))
                continue
            tall = float(value) / marks[-1] * room
            fill = BASE if turn else SIDES[row["side"]]
            tip = f"{row['version']}: {number(float(value))} {title}"
            parts.append(rect(start + turn * width, floor - tall, width - 1, tall, fill, tip=tip))
            if width >= 18:
                label = number(float(value))
                parts.append(text(start + (turn + 0.5) * width, floor - tall - 4, label, anchor="middle"))
    return parts


def commits(found: Mapping[str, Any] | None) -> str | None:
    """A cell for each different FlyDSL in the range: its verdict, and an outline around the culprits."""
    if not found:
        return None
    count = int(found["candidates"])
    tests = {test["candidate"]: test for test in found["tests"] if test["candidate"] is not None}
    after = found.get("first_bad") or found["first_good"]
    last = int(after["test"]["candidate"])
    suspects = range(last - len(found["culprits"]) + 1, last + 1)
    slot = (WIDTH - LEFT - RIGHT) / count
    top = 40.0
    parts = legend(LEFT, 14, [*((SIDES[side], VERDICTS[side]) for side in SIDES), (GRID, "not tested")])
    for place in range(count):
        test = tests.get(place)
        fill = GRID if test is None else SIDES[test["side"]]
        tip = f"candidate {place + 1} of {count}: "
        tip += (
            "not tested" if test is None else f"{test['commit'][:12]} {VERDICTS[test['side']]}, {test['way']}"
        )
        parts.append(rect(LEFT + place * slot + 0.5, top, slot - 1, 34, fill, tip=tip))
    start, width = LEFT + suspects[0] * slot, len(suspects) * slot
    outline = f'stroke="{INK}" stroke-width="2"'
    parts.append(rect(start, top - 3, width, 40, "none", more=outline))
    label = found["culprits"][0]["hash"][:12] if len(suspects) == 1 else f"one of these {len(suspects)}"
    middle = min(max(start + width / 2, LEFT + 50), WIDTH - RIGHT - 50)
    parts.append(text(middle, top + 54, label, anchor="middle", more='font-weight="600"'))
    parts.append(text(LEFT, top + 72, "older", fill=FAINT))
    parts.append(text(WIDTH - RIGHT, top + 72, "newer", anchor="end", fill=FAINT))
    label = f"{count} different FlyDSLs in {found['commits']} commits, {len(tests)} tested"
    return svg(WIDTH, top + 80, parts, label)


def _matrix(found: Findings) -> list[Mapping[str, Any]]:
    if found.matrix:
        return list(found.matrix["releases"])
    return [{"version": test["name"], **test} for test in (found.releases or {}).get("tests", ())]
