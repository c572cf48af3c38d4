"""Which wheel an installed release came out of, and whether it is what its index says."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from flybisect.durable import write_text
from flybisect.errors import UserError
from flybisect.toolchain.hashes import Indexes, sha256_of

RECORD = "wheel.json"
"""Beside the package in an installed release's folder."""


@dataclass(frozen=True)
class Wheel:
    """What is known of one."""

    name: str
    """The file's."""
    sha256: str
    """Of the file that was unpacked."""
    index: str | None
    """Which index gives the same; None where it could not be compared."""
    why: str = ""
    """Why it could not."""

    def __str__(self) -> str:
        told = f"as {self.index} has it" if self.index is not None else f"not compared: {self.why}"
        return f"sha256 {self.sha256}, {told}"


def checked(path: Path, indexes: Indexes) -> Wheel:
    """A wheel that was downloaded, before anything of it is used. Raises UserError where an index lists
    another file under its name."""
    asked = indexes.ask("flydsl", path.name)
    own = sha256_of(path)
    if own in asked.hashes:
        return Wheel(path.name, own, asked.hashes[own])
    if asked.hashes:
        told = ", ".join(f"{index} says {digest}" for digest, index in asked.hashes.items())
        raise UserError(
            f"the wheel {path.name} that pip downloaded is not the one of its index, and was not installed: "
            f"its sha256 is {own}, but {told}; look who answers in place of the index (a proxy, a mirror, or "
            "pip's cache: `pip cache remove flydsl`)"
        )
    return Wheel(path.name, own, None, "; ".join(asked.problems) or "there is no index")


def keep(wheel: Wheel, site: Path) -> None:
    write_text(site / RECORD, json.dumps(asdict(wheel), indent=1) + "\n")


def wheel_of(site: Path) -> Wheel | None:
    """None where none was kept, as for a release that an older flybisect installed."""
    try:
        return Wheel(**json.loads((site / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
