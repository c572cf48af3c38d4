"""A checkout of our own that borrows its objects from a clone (gitrepository-layout(5), `alternates`).

Unlike `git worktree add` it leaves no entry in the clone, so it works with one that is read-only, shallow,
dirty, or in the middle of a rebase.
"""

from __future__ import annotations

from pathlib import Path

from flybisect.errors import UserError
from flybisect.git.command import GitFailed, run_git
from flybisect.git.repository import Repository

TIMEOUT = 3600.0
"""Seconds to write the files of a commit."""


def check_out(tree: Path, source: Repository, commit: str) -> None:
    """Makes `tree` hold `commit` of `source`, and nothing besides but what its submodules hold.

    Files that do not change keep their times, so that a build goes on from what it has. The caller is
    alone with `tree`. Raises UserError where files of the commit are missing.
    """
    if not (tree / ".git" / "HEAD").is_file():
        tree.mkdir(parents=True, exist_ok=True)
        run_git(tree, "init", "--quiet")
    (tree / ".git/objects/info").mkdir(parents=True, exist_ok=True)
    (tree / ".git/objects/info/alternates").write_text(f"{source.object_folder}\n", "utf-8")
    (tree / ".git/index.lock").unlink(missing_ok=True)
    try:
        run_git(tree, "checkout", "--quiet", "--force", "--detach", commit, timeout=TIMEOUT)
        run_git(tree, "clean", "-ffdxq", timeout=TIMEOUT)
    except GitFailed as error:
        raise UserError(
            f"{commit[:12]} of {source.folder} can't be checked out into {tree} ({error}); "
            "if the clone is a partial one, which lacks files, make a full clone"
        ) from error
