"""A user's clone, read object by object: its checkout, index and configuration are never touched."""

from __future__ import annotations

import difflib
import io
import tarfile
import threading
from collections.abc import Sequence
from pathlib import Path

from git import Repo
from git.exc import GitCommandError, InvalidGitRepositoryError, NoSuchPathError

from flybisect.errors import UserError
from flybisect.history.commit import Commit
from flybisect.inputs import PATCHES, PATHS, PINS, Inputs, inputs_of, pin_in

_FACTS = "%H%x00%P%x00%cI%x00%an%x00%s"


class Repository:
    """Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        """The clone that `path` is, or lies in; a bare one will do. Raises UserError."""
        try:
            self._repo = Repo(path, search_parent_directories=True)
        except (InvalidGitRepositoryError, NoSuchPathError) as error:
            raise UserError(f"{path} is no git clone; give one of FlyDSL with --repo") from error
        # Started by git itself, as from a hook, the environment may name another repository.
        self._repo.git.update_environment(GIT_DIR=str(self._repo.git_dir), GIT_OPTIONAL_LOCKS="0")
        self._lock = threading.Lock()

    @property
    def folder(self) -> Path:
        return Path(self._repo.working_tree_dir or self._repo.git_dir)

    @property
    def shallow(self) -> bool:
        return self._git("rev-parse", "--is-shallow-repository") == "true"

    def commit(self, ref: str) -> str:
        """Full hash of what `ref` names. Raises UserError with the nearest names where it names nothing."""
        try:
            return self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        except GitCommandError as error:
            close = difflib.get_close_matches(ref, self._names(), n=3)
            hint = f" (did you mean {' or '.join(close)}?)" if close else ""
            more = (
                " The clone is shallow; `git fetch --unshallow --tags` brings the rest."
                if self.shallow
                else ""
            )
            raise UserError(f"{self.folder} has no commit {ref!r}{hint}.{more}") from error

    def ancestor(self, older: str, newer: str) -> bool:
        """Whether `older` is an ancestor of `newer`, or the same."""
        return self.merge_base(older, newer) == older

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor; None where the histories have nothing in common."""
        try:
            return self._git("merge-base", one, other) or None
        except GitCommandError:
            return None

    def between(
        self, older: str, newer: str, *, first_parent: bool = False, paths: Sequence[str] = ()
    ) -> list[Commit]:
        """Commits of `older..newer`, oldest first; of those only what touches `paths`, where given."""
        words = ["log", "--reverse", "--topo-order", f"--format={_FACTS}"]
        words += ["--first-parent"] if first_parent else []
        text = self._git(*words, f"{older}..{newer}", "--", *paths)
        return [_commit(line) for line in text.split("\n") if line]

    def facts(self, commit: str) -> Commit:
        return _commit(self._git("log", "-1", f"--format={_FACTS}", commit, "--"))

    def count(self, commit: str) -> int:
        """How many commits lead to it, itself included: the number in a dev release's version."""
        return int(self._git("rev-list", "--count", commit, "--"))

    def tags(self) -> dict[str, str]:
        """Commit by the name of a tag."""
        text = self._git(
            "for-each-ref", "--format=%(refname:short)%00%(objectname)%00%(*objectname)", "refs/tags"
        )
        rows = [line.split("\0") for line in text.split("\n") if line]
        return {name: peeled or plain for name, plain, peeled in rows}

    def inputs(self, commit: str, imported: Sequence[str] = ()) -> Inputs:
        """What its FlyDSL is built of; `imported`: paths that count as well."""
        hashes = self._hashes(commit, PATHS)
        # Asked for by themselves: `git ls-tree` shows no folder where it is asked for something below it.
        pins = self._hashes(commit, PINS)
        hashes |= {path: self._hashes(commit, [path]).get(path, "") for path in imported}
        pin = next((pin_in(p, self._git("cat-file", "blob", pins[p])) for p in PINS if p in pins), None)
        return inputs_of(hashes, self._hashes(commit, [PATCHES]), pin, imported)

    def entries(self, commit: str) -> frozenset[str]:
        """Names at the top of its tree."""
        return frozenset(self._git("ls-tree", "--name-only", commit).split("\n"))

    def blobs(self, commit: str, folder: str) -> dict[str, str]:
        """Every file below `folder`, by its path from there, with its hash."""
        text = self._git("ls-tree", "-r", "-z", commit, "--", f"{folder}/")
        found = {}
        for line in filter(None, text.split("\0")):
            facts, path = line.split("\t", 1)
            found[path.removeprefix(f"{folder}/")] = facts.split()[2]
        return found

    def export(self, commit: str, path: str, target: Path) -> None:
        """Writes the folder `path` of `commit` as `target`, which is not there yet."""
        with self._lock:
            packed = self._repo.git.archive(
                f"{commit}:{path}", format="tar", stdout_as_string=False, strip_newline_in_stdout=False
            )
        target.mkdir(parents=True)
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            if hasattr(tarfile, "data_filter"):
                archive.extractall(target, filter="data")
            else:
                archive.extractall(target)

    def _hashes(self, commit: str, paths: Sequence[str]) -> dict[str, str]:
        text = self._git("ls-tree", "-z", commit, "--", *paths)
        rows = [line.split("\t", 1) for line in text.split("\0") if line]
        return {path: facts.split()[2] for facts, path in rows}

    def _names(self) -> list[str]:
        return self._git("for-each-ref", "--format=%(refname:short)").split("\n")

    def _git(self, command: str, *words: str) -> str:
        with self._lock:
            found: str = self._repo.git.execute(["git", command, *words], strip_newline_in_stdout=True)
        return found


def _commit(line: str) -> Commit:
    name, parents, date, author, subject = line.split("\0", 4)
    return Commit(name, tuple(parents.split()), date, author, subject)
