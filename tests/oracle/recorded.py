"""Observations recorded from real FlyDSL by `record.py`."""

from __future__ import annotations

from pathlib import Path

from flybisect.observation import Observation

FOLDER = Path(__file__).parent.parent / "data" / "observations"


def recorded(name: str) -> Observation:
    """`gemm_buffer64@0.5.0`."""
    return Observation.from_json((FOLDER / f"{name}.json").read_text())


def everything() -> dict[str, Observation]:
    return {path.stem: recorded(path.stem) for path in sorted(FOLDER.glob("*.json"))}
