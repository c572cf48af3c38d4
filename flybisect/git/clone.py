"""A user's clone of FlyDSL. It is read and nothing else: no checkout, no fetch, no entry in its `.git`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flybisect.errors import UserError
from flybisect.git.command import (
    GitFailed,
    opened,
    run_git,
    run_git_raw,
)
from flybisect.git.objects import Unusable, usable_path

SUBMODULE = "160000"
"""The mode of an entry that pins a commit of another repository (git-ls-tree(1))."""


@dataclass(frozen=True)
class TreeEntry:
    """One line of a commit's tree."""

    mode: str
    hash: str
    path: str


@dataclass(frozen=True)
class Clone:
    """A repository on disk, by the folder that git commands are run in."""

    folder: Path

    @staticmethod
    def at(folder: Path) -> Clone:
        """The clone that encloses `folder`. Raises UserError where there is none."""
        try:
            return Clone(opened(folder).folder)
        except GitFailed as error:
            raise UserError(
                f"{folder} is not in a git clone that can be read ({error}); give one of FlyDSL with --repo"
            ) from error

    def run(self, *argv: str, env: Mapping[str, str] | None = None) -> str:
        """What `git argv` prints. Raises GitFailed."""
        return run_git(self.folder, *argv, env=env)

    def raw(self, words: Sequence[str], given: bytes) -> bytes:
        """The same of `given` as its standard input, in bytes."""
        return run_git_raw(self.folder, *words, given=given)[1]

    def commit(self, ref: str) -> str:
        """Full hash of the commit that `ref` names. Raises UserError."""
        try:
            return self.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        except GitFailed as error:
            if self.is_shallow():
                raise UserError(
                    f"{self.folder} has no commit {ref}: it is a shallow clone; "
                    f"`git -C {self.folder} fetch --unshallow --tags`"
                ) from error
            raise UserError(
                f"{self.folder} has no commit {ref}; if it is newer than the clone, "
                f"`git -C {self.folder} fetch --tags`"
            ) from error

    def is_shallow(self) -> bool:
        return self.run("rev-parse", "--is-shallow-repository") == "true"

    def entries(self, commit: str, *paths: str, recursive: bool = False) -> Iterator[TreeEntry]:
        """What lies at `paths` in `commit`, or in its root; with `recursive`, every file below them."""
        options = ["-r"] if recursive else []
        for line in self.run("ls-tree", "-z", *options, commit, "--", *paths).split("\0"):
            if line:
                facts, path = line.split("\t", 1)
                mode, _kind, digest = facts.split()
                if not usable_path(path):
                    raise Unusable(f"{commit[:12]} has a path {path!r}, which no folder can hold")
                yield TreeEntry(mode, digest, path)

    def text(self, commit: str, path: str) -> str | None:
        """Content of the file `path` in `commit`; None where it has none."""
        try:
            return self.run("cat-file", "blob", f"{commit}:{path}")
        except GitFailed:
            return None

    def objects(self) -> Path:
        """The folder that holds its commits and files."""
        return self._below_git("objects")

    def submodule(self, name: str, path: str) -> Iterator[Clone]:
        """Its clones of the submodule `name` at `path`, where any was made."""
        for folder in (self._below_git(f"modules/{name}"), self.folder / path):
            if (folder / "HEAD").is_file() or (folder / ".git").exists():
                yield Clone(folder)

    def has(self, commit: str) -> bool:
        try:
            self.run("cat-file", "-e", f"{commit}^{{commit}}")
        except GitFailed:
            return False
        return True

    def _below_git(self, path: str) -> Path:
        return Path(self.folder, self.run("rev-parse", "--git-common-dir"), path).resolve()
