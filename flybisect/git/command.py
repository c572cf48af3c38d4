"""The one way in which git is run: whatever a clone's configuration says, nothing of it is started.

A clone may come from anywhere, and git lets a repository's configuration name programs: hooks, a monitor of
the file system, filters, gpg, ssh, remote helpers. What is run here reads objects and refs, is told on the
command line to use none of these, and reaches no other repository.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flybisect.errors import UserError

TIMEOUT = 300.0
"""Seconds; a configuration can include a file that never ends."""
OVERRIDES = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.commitGraph=false",  # It may say other parents than the commits do.
    "core.pager=cat",
    "log.showSignature=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "protocol.allow=never",
    "advice.detachedHead=false",
    "maintenance.auto=false",
    "gc.auto=0",
)
"""Said on the command line, which goes before the repository's configuration. A key that names one protocol
goes before `protocol.allow`, so `$GIT_ALLOW_PROTOCOL` says the same once more, and nothing goes before it."""
_OWN = {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}
"""The user's own configuration stays: it says which clones of others are trusted."""
_REACHES = re.compile(r"GIT_(SSH|SSL|HTTP|PROXY|ASKPASS).*")
_DUBIOUS = re.compile(r"detected dubious ownership in repository at '(.*)'")


class GitFailed(Exception):
    """Its text is git's own last line."""


class NotYours(UserError):
    """A clone of another user."""


@dataclass(frozen=True)
class Opened:
    """A clone that may be read."""

    git_dir: Path
    folder: Path
    """Its checkout; the same as `git_dir` where it has none."""


def opened(path: Path) -> Opened:
    """The clone that `path` is, or lies in. Raises NotYours, and GitFailed where there is none.

    git is asked without `$GIT_DIR`, since only then it looks at whom the clone belongs to.
    """
    try:
        found = Path(run_git(path, "rev-parse", "--absolute-git-dir"))
    except GitFailed as error:
        dubious = _DUBIOUS.search(str(error))
        if dubious is None:
            raise
        raise NotYours(
            f"the clone {dubious[1]} belongs to another user; if you trust it, run "
            f"`git config --global --add safe.directory {dubious[1]}`; otherwise give a clone of your own"
        ) from error
    try:
        folder = Path(run_git(path, "rev-parse", "--show-toplevel"))
    except GitFailed:
        return Opened(found, found)
    # `core.worktree` may say that the checkout is anywhere.
    if not ((folder / ".git").exists() and path.resolve().is_relative_to(folder.resolve())):
        folder = found.parent if found.name == ".git" else found
    return Opened(found, folder)


def run_git(folder: Path, *argv: str, env: Mapping[str, str] | None = None, timeout: float = TIMEOUT) -> str:
    """What `git argv` in `folder` prints, without the newline at its end: no hooks, no questions.

    Raises GitFailed, and UserError where there is no git.
    """
    try:
        done = subprocess.run(
            command_line(argv),
            cwd=folder,
            env={**git_environment(), **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
        )
    except FileNotFoundError as error:
        if folder.is_dir():
            raise UserError("git is not on $PATH; install it") from error
        raise GitFailed(f"{folder} does not exist") from error
    except NotADirectoryError as error:
        raise GitFailed(f"{folder} is not a folder") from error
    except subprocess.TimeoutExpired as error:
        raise GitFailed(f"git {argv[0]} did not end within {timeout:g} s") from error
    if done.returncode != 0:
        raise GitFailed(_said(done.stderr) or f"git {argv[0]} failed")
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


def command_line(argv: Sequence[str]) -> list[str]:
    return ["git", *(word for override in OVERRIDES for word in ("-c", override)), *argv]


def git_environment(protocols: Sequence[str] = ()) -> dict[str, str]:
    """For a git that asks nothing, and reaches other repositories by `protocols` alone.

    Started from a hook or an alias of git, we have `GIT_DIR` and its like in the environment, and a
    checkout would go to another repository than the one that is meant: they are taken away.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _OWN or (protocols and _REACHES.fullmatch(name))
    }
    return {
        **git_free(os.environ),
        **kept,
        "GIT_ALLOW_PROTOCOL": ":".join(protocols) or "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


def git_free(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` without what leads git to a repository, an index or a configuration."""
    return {name: value for name, value in environment.items() if not name.startswith("GIT_")}


def _said(stderr: bytes) -> str:
    """git's last line; of a clone of another user the one that says so, which advice follows."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    dubious = [line for line in lines if _DUBIOUS.search(line)]
    return (dubious or lines or [""])[-1]
