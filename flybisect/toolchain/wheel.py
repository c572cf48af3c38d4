"""Which wheel an installed release came out of, as it is kept in the release's folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from flybisect.case.atomic_file import write_text

RECORD = "wheel.json"
"""Beside the package in an installed release's folder."""


@dataclass(frozen=True)
class Origin:
    """What is known of the wheel."""

    name: str
    """The file's."""
    sha256: str
    """Of the file that was unpacked."""
    index: str | None
    """Which index lists the same SHA-256; None where it lists none."""
    why: str = ""
    """Why it could not be compared."""

    def __str__(self) -> str:
        compared = f"as {self.index} lists it" if self.index is not None else f"not compared: {self.why}"
        return f"sha256 {self.sha256}, {compared}"


def keep(origin: Origin, site: Path) -> None:
    """Into the folder of an installed release."""
    write_text(site / RECORD, json.dumps(asdict(origin), indent=1) + "\n")


def origin_of(site: Path) -> Origin | None:
    """None where none was kept, as for a release that an older flybisect installed."""
    try:
        return Origin(**json.loads((site / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
