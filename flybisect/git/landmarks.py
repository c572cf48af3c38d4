"""Which commits have a release: by tag, by a dev release's number, by the hash in a nightly's version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from flybisect.errors import UserError
from flybisect.git.build_inputs import PYTHON
from flybisect.git.repository import Repository


@dataclass(frozen=True)
class Landmark:
    """A release and the commit that it was built of."""

    version: str
    commit: str


def landmarks(repository: Repository, versions: Iterable[str], newest: str) -> list[Landmark]:
    """Those of `versions` whose commit is known; dev releases are counted back from `newest`."""
    tags = {_version(name): commit for name, commit in repository.tags().items()}
    total = repository.count(newest)
    found = []
    for text in versions:
        version = Version(text)
        commit = (
            tags.get(version)
            or _by_hash(repository, version)
            or _by_number(repository, version, newest, total)
        )
        if commit is not None:
            found.append(Landmark(text, commit))
    return found


def differing(repository: Repository, commit: str, site: Path) -> list[str]:
    """Files of the commit's `python/flydsl` that the FlyDSL in `site` has otherwise or not at all."""
    blobs = repository.blobs(commit, PYTHON)
    return [path for path, found in sorted(blobs.items()) if _hash(site / "flydsl" / path) != found]


def _version(tag: str) -> Version | None:
    try:
        return Version(tag)
    except InvalidVersion:
        return None


def _by_hash(repository: Repository, version: Version) -> str | None:
    """A nightly is called `0.3.2+YYYYMMDD.hash`."""
    parts = (version.local or "").split(".")
    if len(parts) < 2:
        return None
    try:
        return repository.commit(parts[-1])
    except UserError:
        return None


def _by_number(repository: Repository, version: Version, newest: str, total: int) -> str | None:
    """`X.Y.Z.devN` is the commit that N commits lead to, as far as the history is a line."""
    if version.dev is None or version.dev > total:
        return None
    try:
        commit = repository.commit(f"{newest}~{total - version.dev}")
    except UserError:
        return None
    return commit if repository.count(commit) == version.dev else None


def _hash(path: Path) -> str | None:
    """Git's of a file."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
