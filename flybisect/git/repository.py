"""A user's clone of FlyDSL, read object by object.

Its checkout, index and configuration are never changed, and nothing that its configuration names is run.
"""

from __future__ import annotations

import difflib
import threading
from binascii import unhexlify
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flybisect.errors import UserError
from flybisect.git.build_inputs import BUILD, PATCHES, PATHS, PINS, Inputs, inputs_of, pin_in
from flybisect.git.command import TIMEOUT, GitFailed, opened, run_git
from flybisect.git.commit import Commit
from flybisect.git.objects import Unusable, usable_path, write_tree

if TYPE_CHECKING:
    from git import Tree

    from flybisect.git.hardened import HardenedRepo

SUBMODULE = "160000"
"""The mode of an entry that pins a commit of another repository (git-ls-tree(1))."""
_FACTS = "%H%x00%P%x00%cI%x00%an%x00%s"
_CONFIGURE = (":(glob)**/CMakeLists.txt", ":(glob)**/*.cmake", BUILD)


@dataclass(frozen=True)
class TreeEntry:
    """A file or a submodule of a commit."""

    mode: str
    hash: str
    path: str


class Repository:
    """Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        """The clone that `path` is, or lies in; a bare one will do. Raises UserError."""
        try:
            found = opened(path)
        except GitFailed as error:
            raise UserError(
                f"{path} is not in a git clone that can be read ({error}); give a clone of FlyDSL with --repo"
            ) from error
        self.folder = found.folder
        self._git_dir = found.git_dir
        self._repo: HardenedRepo | None = None
        self._lock = threading.RLock()

    @property
    def shallow(self) -> bool:
        return self._git("rev-parse", "--is-shallow-repository") == "true"

    @property
    def object_folder(self) -> Path:
        """Holds its commits and files."""
        return self._common / "objects"

    def commit(self, ref: str) -> str:
        """Full hash of what `ref` names. Raises UserError with the nearest names where it names nothing."""
        found = self.find(ref)
        if found is not None:
            return found
        close = difflib.get_close_matches(ref, self._names(), n=3)
        hint = f" (did you mean {' or '.join(close)}?)" if close else ""
        fetch = f"git -C {self.folder} fetch"
        if self.shallow:
            advice = f"it is a shallow clone; `{fetch} --unshallow --tags` completes it"
        else:
            advice = f"if the commit is newer than the clone, run `{fetch} --tags`"
        raise UserError(f"{self.folder} has no commit {ref!r}{hint}; {advice}")

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
        with self._objects() as repo:
            top = _tree(repo, commit)
            hashes = {path: _hash(top, path) for path in (*PATHS, *imported)}
            folder = PATCHES.rstrip("/")
            beside = top.join(folder) if _hash(top, folder) else ()
            patches = {str(entry.path): str(entry.hexsha) for entry in beside}
        texts = ((path, self.text(commit, path)) for path in PINS)
        pin = next((pin_in(path, text) for path, text in texts if text is not None), None)
        return inputs_of(hashes, patches, pin, imported)

    def text(self, commit: str, path: str) -> str | None:
        """Content of the file `path` in `commit`; None where it has none."""
        with self._objects() as repo:
            found = _hash(_tree(repo, commit), path)
            if not found:
                return None
            return self._read(found, "blob").decode("utf-8", "surrogateescape")

    def entries(self, commit: str) -> frozenset[str]:
        """Names at the top of its tree."""
        with self._objects() as repo:
            return frozenset(entry.name for entry in _tree(repo, commit))

    def files(self, commit: str, *paths: str) -> list[TreeEntry]:
        """Every file and submodule at or below `paths`, or of the whole commit. Raises GitFailed."""
        found = []
        text = self._git("ls-tree", "--full-tree", "-r", "-z", commit, "--", *paths)
        for line in filter(None, text.split("\0")):
            facts, path = line.split("\t", 1)
            mode, _kind, digest = facts.split()
            if not usable_path(path):
                raise Unusable(f"{commit[:12]} has a path {path!r}, which no folder can hold")
            found.append(TreeEntry(mode, digest, path))
        return found

    def blobs(self, commit: str, folder: str) -> dict[str, str]:
        """Every file below `folder`, by its path from there, with its hash."""
        start = f"{folder}/"
        return {entry.path.removeprefix(start): entry.hash for entry in self.files(commit, start)}

    def mentions(self, commit: str, word: str) -> bool:
        """Whether CMake files or the build script of `commit` contain `word`."""
        try:
            self._git("grep", "--quiet", "--fixed-strings", "-e", word, commit, "--", *_CONFIGURE)
        except GitFailed:
            return False
        return True

    def export(self, commit: str, path: str, target: Path) -> None:
        """Writes the folder `path` of `commit` as `target`, which does not exist yet. Raises GitFailed."""
        with self._objects() as repo:
            tree = _hash(_tree(repo, commit), path)
        if not tree:
            raise GitFailed(f"{commit[:12]} has no {path}")
        self.write(tree, target)

    def write(self, tree: str, target: Path) -> None:
        """The same of a tree by its hash."""
        write_tree(self._read, tree, target)

    def setting(self, key: str) -> str:
        """What the clone's configuration says; empty where it says nothing."""
        try:
            return self._git("config", "--get", key)
        except GitFailed:
            return ""

    def submodule(self, name: str, path: str) -> Iterator[Repository]:
        """Its clones of the submodule `name` at `path`, where there are any."""
        for folder in (self._common / "modules" / name, self.folder / path):
            if (folder / "HEAD").is_file() or (folder / ".git").exists():
                try:
                    yield Repository(folder)
                except UserError:
                    continue

    @property
    def _common(self) -> Path:
        return (self._git_dir / self._git("rev-parse", "--git-common-dir")).resolve()

    def _listed(self, *words: str) -> list[Commit]:
        """Not `git log`, which the configuration changes, and not GitPython's commits: a text in an unknown
        encoding breaks them."""
        text = self._git("rev-list", f"--format={_FACTS}", *words)
        return [_commit(line) for line in text.split("\n") if "\0" in line]

    def _names(self) -> list[str]:
        return self._git("for-each-ref", "--format=%(refname:short)").split("\n")

    def _git(self, *words: str) -> str:
        return run_git(self._git_dir, *words, env={"GIT_DIR": str(self._git_dir)})

    def _read(self, digest: str, kind: str, most: int | None = None) -> bytes:
        """Content of an object. Raises GitFailed, and Unusable for one of more than `most` bytes."""
        with self._objects() as repo:
            found = repo.odb.stream(bytes.fromhex(digest))
            if found.type != kind.encode():
                raise GitFailed(f"the object {digest[:12]} is no {kind}")
            if most is not None and found.size > most:
                raise Unusable(f"the object {digest[:12]} has {found.size >> 20} MiB, which is too large")
            content: bytes = found.read()
            return content

    @contextmanager
    def _objects(self) -> Iterator[HardenedRepo]:
        """GitPython's objects, for one thread at a time and a bounded time. Raises GitFailed for what is
        missing or damaged."""
        from flybisect.git.hardened import HardenedRepo  # as long to import as all else that most starts need

        with self._lock:
            if self._repo is None:
                self._repo = HardenedRepo(self._git_dir)
            repo = self._repo
            clock = threading.Timer(TIMEOUT, repo.end)
            clock.daemon = True
            clock.start()
            try:
                yield repo
            except (ValueError, IndexError, BrokenPipeError) as error:
                repo.git.clear_cache()
                raise _unreadable(error) from error
            except BaseException:
                repo.git.clear_cache()
                raise
            finally:
                clock.cancel()


def _tree(repo: HardenedRepo, commit: str) -> Tree:
    from git import Tree

    if "\n" in commit:
        raise GitFailed("a commit's name has one line")
    digest, _kind, _size = repo.git.get_object_header(f"{commit}^{{tree}}")
    return Tree(repo, unhexlify(digest), path="")


def _hash(tree: Tree, path: str) -> str:
    """Of what lies at `path`; empty where nothing does."""
    try:
        return tree.join(path).hexsha
    except KeyError:
        return ""


def _unreadable(error: Exception) -> GitFailed:
    text = str(error)
    if "missing" in text:
        return GitFailed("an object is missing; a partial clone lacks files")
    return GitFailed(f"an object can't be read ({text.splitlines()[0] if text else type(error).__name__})")


def _commit(line: str) -> Commit:
    name, parents, date, author, subject = line.split("\0", 4)
    return Commit(name, tuple(parents.split()), date, author, subject)
