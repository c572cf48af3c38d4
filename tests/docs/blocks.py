"""The commands that the documentation shows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("seeds/*/README.md"))]

_BLOCK = re.compile(
    r"(?:<!-- run(?:: (?P<mark>\w+))? -->\n)?(?P<fence>```)(?P<language>\w*)\n(?P<text>.*?)\n```", re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """A block of code. Mark one with `<!-- run -->`, or with `<!-- run: release -->` and the like."""

    page: str
    runs: bool
    mark: str | None
    """`release` or `slow`: what a test of it has to be marked with."""
    commands: tuple[tuple[str, ...], ...]
    """Words behind `flybisect`."""


def blocks() -> list[Block]:
    return [block for page in PAGES for block in _blocks(page) if block.commands]


def _blocks(page: Path) -> Iterator[Block]:
    for found in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        lines = found["text"].replace("\\\n", " ").splitlines()
        commands = [line.strip().removeprefix("$ ") for line in lines]
        words = [shlex.split(line, comments=True)[1:] for line in commands if line.startswith("flybisect ")]
        runs = found[0].startswith("<!-- run")
        yield Block(str(page.relative_to(ROOT)), runs, found["mark"], tuple(map(tuple, words)))
