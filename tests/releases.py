"""FlyDSL releases that tests need are kept in the checkout's working folder, so that each is fetched once."""

from __future__ import annotations

from pathlib import Path

KEPT = Path(__file__).parents[1] / "workdirs"


def sharing_releases(workdir: Path) -> Path:
    """`workdir` for sessions of its own, with the releases that are kept."""
    kept = KEPT / "toolchains"
    kept.mkdir(exist_ok=True)
    workdir.mkdir(exist_ok=True)
    (workdir / "toolchains").symlink_to(kept)
    return workdir
