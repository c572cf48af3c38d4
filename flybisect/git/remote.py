"""What comes from other repositories: a clone of an address, a commit of a submodule.

Addresses may stand in a commit, so only protocols that start no program of the address's choice are used.
"""

from __future__ import annotations

from pathlib import Path

from flybisect.git.command import GitFailed, git_environment, run_git
from flybisect.git.repository import Repository

NETWORK = ("file", "git", "http", "https", "ssh")
"""Protocols that reach another repository; `ext::` is none of them."""
CLONE_TIMEOUT = 4 * 3600.0
FETCH_TIMEOUT = 900.0
"""Seconds for one commit; dlpack has 1 MB, tvm-ffi 10."""


def mirror(url: str, folder: Path) -> None:
    """Makes the empty `folder` a bare clone of all of `url`. Raises GitFailed."""
    _run(folder, CLONE_TIMEOUT, "clone", "--quiet", "--mirror", "--", url, ".")


def update(folder: Path) -> None:
    """Fetches what a mirror lacks. Raises GitFailed."""
    _run(folder, CLONE_TIMEOUT, "fetch", "--quiet", "--prune", "origin")


def fetch_commit(folder: Path, url: str, commit: str) -> None:
    """Brings one commit of `url` into the bare repository `folder`, where that has it."""
    try:
        _run(folder, FETCH_TIMEOUT, "fetch", "--quiet", "--depth", "1", "--", url, commit)
    except GitFailed:
        pass


def bare_repository(folder: Path) -> Repository:
    """The repository of our own in `folder`, made where it is missing."""
    if not (folder / "HEAD").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        run_git(folder, "init", "--quiet", "--bare")
    return Repository(folder)


def _run(folder: Path, timeout: float, *argv: str) -> None:
    run_git(folder, *argv, env=git_environment(NETWORK), timeout=timeout)
