"""What `flybisect.yaml` sets for every case below its folder. Case files and options go before it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flybisect.case.limits import JOBS, MEMORIES, TIMEOUTS
from flybisect.case.yaml_file import (
    expanded,
    number_at,
    read_mapping,
    text_at,
)

FILE = "flybisect.yaml"
KEYS = ("arch", "flydsl", "oracle", "timeout", "memory", "jobs", "workdir", "repo")


@dataclass(frozen=True)
class Defaults:
    """None: the file says nothing about it."""

    arch: str | None = None
    flydsl: str | None = None
    oracle: str | None = None
    timeout: float | None = None
    """Wall seconds per trial."""
    memory: int | None = None
    """MiB per trial."""
    jobs: int | None = None
    workdir: Path | None = None
    repo: Path | None = None
    """A clone of FlyDSL."""


def load_defaults(start: Path) -> Defaults:
    """Of the nearest `flybisect.yaml` in `start` (a folder) or above. Raises UserError on a bad one."""
    folder = start.absolute()
    for candidate in (folder, *folder.parents):
        if (candidate / FILE).is_file():
            return _read(candidate / FILE)
    return Defaults()


def _read(path: Path) -> Defaults:
    origin = str(path)
    data = read_mapping(path, KEYS)
    memory = number_at(data, "memory", origin, *MEMORIES)
    jobs = number_at(data, "jobs", origin, *JOBS)
    workdir, repo = text_at(data, "workdir", origin), text_at(data, "repo", origin)
    return Defaults(
        arch=text_at(data, "arch", origin),
        flydsl=text_at(data, "flydsl", origin),
        oracle=text_at(data, "oracle", origin),
        timeout=number_at(data, "timeout", origin, *TIMEOUTS),
        memory=None if memory is None else int(memory),
        jobs=None if jobs is None else int(jobs),
        workdir=None if workdir is None else path.parent / expanded(workdir),
        repo=None if repo is None else path.parent / expanded(repo),
    )
