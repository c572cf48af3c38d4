"""A user's clone, read object by object: its checkout, index and configuration are never touched, and nothing
that its configuration names is run."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from flybisect.errors import UserError
from flybisect.git.build_inputs import (
    PATCHES,
    PATHS,
    PINS,
    Inputs,
    inputs_of,
    pin_in,
)
from flybisect.git.command import GitFailed, opened, run_git_raw
from flybisect.git.commit import Commit
from flybisect.git.objects import write_tree

_FACTS = "%H%x00%P%x00%cI%x00%an%x00%s"


class Repository:
    """Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        """The clone that `path` is, or lies in; a bare one will do. Raises UserError."""
        try:
            self._found = opened(path)
        except GitFailed as error:
            raise UserError(f"{path} is no git clone ({error}); give one of FlyDSL with --repo") from error

    @property
    def folder(self) -> Path:
        return self._found.folder

    @property
    def shallow(self) -> bool:
        return self._git("rev-parse", "--is-shallow-repository") == "true"

    def commit(self, ref: str) -> str:
        """Full hash of what `ref` names. Raises UserError with the nearest names where it names nothing."""
        found = self.find(ref)
        if found is not None:
            return found
        close = difflib.get_close_matches(ref, self._names(), n=3)
        hint = f" (did you mean {' or '.join(close)}?)" if close else ""
        more = (
            " The clone is shallow; `git fetch --unshallow --tags` brings the rest." if self.shallow else ""
        )
        raise UserError(f"{self.folder} has no commit {ref!r}{hint}.{more}")

    def find(self, ref: str) -> str | None:
        """The same; None where it names nothing."""
        try:
            return self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        except GitFailed:
            return None

    def ancestor(self, older: str, newer: str) -> bool:
        """Whether `older` is an ancestor of `newer`, or the same."""
        return self.merge_base(older, newer) == older

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor; None where the histories have nothing in common."""
        try:
            return self._git("merge-base", one, other) or None
        except GitFailed:
            return None

    def between(
        self, older: str, newer: str, *, first_parent: bool = False, paths: Sequence[str] = ()
    ) -> list[Commit]:
        """Commits of `older..newer`, oldest first; of those only what touches `paths`, where given."""
        words = ["--reverse", "--topo-order", *(["--first-parent"] if first_parent else [])]
        return self._listed(*words, f"{older}..{newer}", "--", *paths)

    def facts(self, commit: str) -> Commit:
        return self._listed("--max-count=1", commit, "--")[0]

    def _listed(self, *words: str) -> list[Commit]:
        """By the plumbing: `git log` has a configuration."""
        text = self._git("rev-list", f"--format={_FACTS}", *words)
        return [_commit(line) for line in text.split("\n") if "\0" in line]

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
        return frozenset(self._git("ls-tree", "--full-tree", "--name-only", commit).split("\n"))

    def blobs(self, commit: str, folder: str) -> dict[str, str]:
        """Every file below `folder`, by its path from there, with its hash."""
        text = self._git("ls-tree", "--full-tree", "-r", "-z", commit, "--", f"{folder}/")
        found = {}
        for line in filter(None, text.split("\0")):
            facts, path = line.split("\t", 1)
            found[path.removeprefix(f"{folder}/")] = facts.split()[2]
        return found

    def export(self, commit: str, path: str, target: Path) -> None:
        """Writes the folder `path` of `commit` as `target`, which is not there yet. Raises GitFailed."""
        tree = self._hashes(commit, [path]).get(path)
        if tree is None:
            raise GitFailed(f"{commit[:12]} has no {path}")
        write_tree(lambda words, given: self._raw(*words, given=given)[1], tree, target)

    def _hashes(self, commit: str, paths: Sequence[str]) -> dict[str, str]:
        text = self._git("ls-tree", "--full-tree", "-z", commit, "--", *paths)
        rows = [line.split("\t", 1) for line in text.split("\0") if line]
        return {path: facts.split()[2] for facts, path in rows}

    def _names(self) -> list[str]:
        return self._git("for-each-ref", "--format=%(refname:short)").split("\n")

    def _git(self, command: str, *words: str) -> str:
        return self._raw(command, *words)[0].removesuffix("\n")

    def _raw(self, *words: str, given: bytes = b"") -> tuple[str, bytes]:
        env = {"GIT_DIR": str(self._found.git_dir)}
        return run_git_raw(self._found.git_dir, *words, given=given, env=env)


def _commit(line: str) -> Commit:
    name, parents, date, author, subject = line.split("\0", 4)
    return Commit(name, tuple(parents.split()), date, author, subject)
