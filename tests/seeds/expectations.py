"""The `expected.yaml` of a seed: what each variant of its script gives on which release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

SEEDS = Path(__file__).parents[2] / "seeds"


@dataclass(frozen=True)
class Expectation:
    """One variant on one release."""

    script: Path
    arch: str
    args: str
    release: str
    figures: dict[str, int]
    """Of the only kernel: VGPRs, spills, … Empty where the compile fails."""
    fails: str | None
    """Text that the failure contains; None where the compile succeeds."""

    def __str__(self) -> str:
        return f"{self.script.stem} {self.args} on {self.release}"


def expectations(seed: str, release: str | None = None) -> list[Expectation]:
    """All of a seed's, or those of one release."""
    folder = SEEDS / seed
    data: dict[str, Any] = yaml.safe_load((folder / "expected.yaml").read_text())
    return [
        Expectation(
            folder / data["script"],
            data["arch"],
            variant["args"],
            version,
            gives.get("figures", {}),
            gives.get("fails"),
        )
        for variant in data["variants"]
        for gives in variant["gives"]
        for version in gives["releases"]
        if release in (None, version)
    ]
