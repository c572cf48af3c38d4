"""GitPython over a clone that nobody vouches for: its interface to objects and commands, run by `command`.

`git.Repo` by itself reads the clone's configuration and starts git with what the caller's environment says.
Neither happens here. Objects come from one `git cat-file --batch` for each clone. GitPython's own reader in
Python, `GitDB`, is deprecated: it is neither safe nor fast.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from git import Git, Repo
from git.db import GitCmdObjectDB

from flybisect.git.command import command_line, git_environment, run_git


class HardenedGit(Git):
    """GitPython's commands, each run as `run_git` runs it. Commands raise GitFailed."""

    def execute(  # type: ignore[override]
        self, command: Sequence[str], istream: int | None = None, as_process: bool = False
    ) -> Any:
        folder, words = Path(self.working_dir or "."), command[1:]
        if not as_process:
            return run_git(folder, *words, env=self.environment())
        process = subprocess.Popen(
            command_line(words),
            cwd=folder,
            env={**git_environment(), **self.environment()},
            stdin=istream,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        return self.AutoInterrupt(process, command)


class HardenedRepo(Repo):
    """A clone that `command.opened` has allowed."""

    GitCommandWrapperType = HardenedGit

    def __init__(self, git_dir: Path) -> None:
        # Not `Repo.__init__`: it parses the clone's configuration, and what that includes.
        self.git_dir = str(git_dir)
        self.git = HardenedGit(git_dir)
        self.git.update_environment(GIT_DIR=str(git_dir))
        self.odb = GitCmdObjectDB(str(git_dir / "objects"), self.git)

    def end(self) -> None:
        """Ends the processes that read objects; the next read starts others. From any thread."""
        for reader in (self.git.cat_file_all, self.git.cat_file_header):
            if reader is not None and reader.proc is not None:
                reader.proc.kill()
