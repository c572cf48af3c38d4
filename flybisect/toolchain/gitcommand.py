"""Running git in one repository and no other."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from flybisect.errors import UserError

QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false", "-c", "gc.auto=0")


class GitFailed(Exception):
    """Its text is git's own last line."""


def run_git(folder: Path, *argv: str, env: Mapping[str, str] | None = None) -> str:
    """What `git argv` in `folder` prints, without the newline at its end: no hooks, no questions.

    Started from a hook or an alias of git, we have `GIT_DIR` and its like in the environment, and a
    checkout would go to another repository than `folder`: they are taken away. Raises GitFailed, and
    UserError where there is no git.
    """
    try:
        done = subprocess.run(
            ["git", *QUIET, *argv],
            cwd=folder,
            env={**git_free(os.environ), "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
    except FileNotFoundError as error:
        if folder.is_dir():
            raise UserError("git is not installed, or not on $PATH") from error
        raise GitFailed(f"{folder} is not there") from error
    except NotADirectoryError as error:
        raise GitFailed(f"{folder} is not a folder") from error
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").splitlines()
        raise GitFailed(next((line for line in reversed(lines) if line.strip()), f"git {argv[0]} failed"))
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


def git_free(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` without what leads git to a repository, an index or a configuration."""
    return {name: value for name, value in environment.items() if not name.startswith("GIT_")}
