"""Clones whose configuration names programs: each would leave a mark, and none is run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.git.clone import Clone
from flybisect.git.command import GitFailed, NotYours
from flybisect.git.inputs_at import build_inputs, mentions
from flybisect.git.landmarks import landmarks
from flybisect.git.objects import Unusable, write_tree
from flybisect.git.range import read_range
from flybisect.git.repository import Repository
from flybisect.git.worktree import check_out
from flybisect.toolchain.submodules import fill_submodules, stand_ins
from tests.git.madeup import MadeUp, laid_out

HOOKS = ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman")
SIGNED = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n nothing\n -----END PGP SIGNATURE-----\n"


class Hostile:
    """A clone, a program that leaves a mark, and the mark."""

    def __init__(self, folder: Path) -> None:
        self.made: MadeUp = laid_out(folder / "fly")
        self.folder = self.made.folder
        self.dot_git = self.folder / ".git"
        self.mark = folder / "mark"
        self.program = folder / "program"
        self.program.write_text(f"#!/bin/sh\ntouch {self.mark}\nexit 0\n")
        self.program.chmod(0o755)
        self.last = self.made.commit("Change (#2)", {"python/flydsl/more.py": "x = 1\n"})

    def set(self, key: str, value: str | None = None) -> None:
        self.made.git("config", key, str(self.program) if value is None else value)

    def plainly(self, *words: str) -> bool:
        """Whether git by itself runs the program."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        subprocess.run(
            ["git", *words],
            cwd=self.folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
        )
        touched = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return touched

    def sign(self) -> None:
        text = subprocess.run(
            ["git", "cat-file", "commit", "HEAD"], cwd=self.folder, capture_output=True, text=True, check=True
        ).stdout
        head, body = text.split("\n\n", 1)
        signed = subprocess.run(
            ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
            cwd=self.folder,
            input=f"{head}\n{SIGNED}\n{body}",
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        self.last = signed
        (self.dot_git / "refs/heads/main").write_text(f"{signed}\n")


def signature(hostile: Hostile) -> tuple[str, ...]:
    hostile.sign()
    hostile.set("log.showSignature", "true")
    hostile.set("gpg.program")
    return ("log", "-1")


def monitor(hostile: Hostile) -> tuple[str, ...]:
    hostile.set("core.fsmonitor")
    return ("status",)


def hooks_path(hostile: Hostile) -> tuple[str, ...]:
    folder = hostile.folder.parent / "hooks"
    folder.mkdir()
    for name in HOOKS:
        (folder / name).symlink_to(hostile.program)
    hostile.set("core.hooksPath", str(folder))
    return ("checkout", "--detach", "HEAD")


def hooks(hostile: Hostile) -> tuple[str, ...]:
    (hostile.dot_git / "hooks").mkdir(exist_ok=True)
    for name in HOOKS:
        (hostile.dot_git / "hooks" / name).symlink_to(hostile.program)
    return ("read-tree", "HEAD")


def filters(hostile: Hostile) -> tuple[str, ...]:
    (hostile.dot_git / "info").mkdir(exist_ok=True)
    (hostile.dot_git / "info/attributes").write_text("* filter=evil diff=evil\n")
    hostile.set("filter.evil.smudge")
    hostile.set("filter.evil.clean")
    return ("archive", "HEAD:python/flydsl", "--output=/dev/null", "--format=tar")


def committed_attributes(hostile: Hostile) -> tuple[str, ...]:
    files: dict[str, str | None] = {".gitattributes": "* filter=evil\n", "python/flydsl/z.py": "z"}
    hostile.last = hostile.made.commit("Attributes", files)
    hostile.set("filter.evil.process")
    hostile.set("filter.evil.required", "true")
    return ("archive", "HEAD", "--output=/dev/null", "--format=tar")


def differs(hostile: Hostile) -> tuple[str, ...]:
    hostile.set("diff.external")
    return ("diff", "HEAD~1", "HEAD")


def text_conversion(hostile: Hostile) -> tuple[str, ...]:
    (hostile.dot_git / "info").mkdir(exist_ok=True)
    (hostile.dot_git / "info/attributes").write_text("* diff=evil\n")
    hostile.set("diff.evil.textconv")
    return ("log", "-p")


def included(hostile: Hostile) -> tuple[str, ...]:
    (hostile.folder.parent / "more").write_text(f"[core]\n\tfsmonitor = {hostile.program}\n")
    hostile.set("include.path", str(hostile.folder.parent / "more"))
    return ("status",)


def alternates(hostile: Hostile) -> tuple[str, ...]:
    other = laid_out(hostile.folder.parent / "other")
    (hostile.dot_git / "objects/info").mkdir(exist_ok=True)
    (hostile.dot_git / "objects/info/alternates").write_text(f"{other.folder}/.git/objects\n")
    hostile.set("core.alternateRefsCommand")
    return ("rev-list", "--alternate-refs", "--all")


def missing(hostile: Hostile) -> None:
    """The blob of the last change."""
    blob = hostile.made.git("rev-parse", "HEAD:python/flydsl/more.py")
    (hostile.dot_git / "objects" / blob[:2] / blob[2:]).unlink()


def promised(hostile: Hostile, url: str) -> tuple[str, ...]:
    missing(hostile)
    for key, value in (
        ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", url),
    ):
        hostile.set(key, value)
    return ("cat-file", "blob", "HEAD:python/flydsl/more.py")


def remote_helper(hostile: Hostile) -> tuple[str, ...]:
    hostile.set("protocol.ext.allow", "always")
    return promised(hostile, f"ext::{hostile.program}")


def remote_ssh(hostile: Hostile) -> tuple[str, ...]:
    hostile.set("core.sshCommand")
    return promised(hostile, "ssh://nowhere.invalid/x")


def upload_pack(hostile: Hostile) -> tuple[str, ...]:
    hostile.set("remote.origin.uploadpack")
    hostile.set("protocol.file.allow", "always")
    return promised(hostile, str(hostile.folder))


KINDS = (
    signature,
    monitor,
    hooks_path,
    hooks,
    filters,
    committed_attributes,
    differs,
    text_conversion,
    included,
    alternates,
    remote_helper,
    remote_ssh,
    upload_pack,
)


def read_all(hostile: Hostile, below: Path) -> None:
    """All that is done with a clone; what it lacks may be said."""
    repository = Repository(hostile.folder)
    found = read_range(repository, "v1.0.0..main")
    landmarks(repository, ["1.0.0", "1.0.1.dev2"], found.newer.hash)
    for commit in found.commits:
        repository.inputs(commit.hash, ["kernels"])
        repository.blobs(commit.hash, "python/flydsl")
    repository.entries("HEAD")
    clone = Clone.at(hostile.folder)
    build_inputs(clone, hostile.last)
    mentions(clone, hostile.last, "dlpack")
    stand_ins(clone, hostile.last)
    assert "word" not in (clone.text(hostile.last, "README.md") or "")
    for write in (
        lambda: repository.export(hostile.last, "python/flydsl", below / "exported"),
        lambda: write_tree(clone.raw, f"{clone.run('rev-parse', 'HEAD^{tree}')}", below / "tree"),
        lambda: check_out(below / "checkout", clone, hostile.last),
        lambda: fill_submodules(below / "checkout", clone, hostile.last, "thirdparty", below / "kept"),
    ):
        try:
            write()
        except (GitFailed, UserError) as error:
            assert "missing" in str(error) or "unable to read" in str(error) or "lacks files" in str(error)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_a_clone_names_is_run(
    tmp_path: Path, kind: Callable[[Hostile], tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    hostile = Hostile(tmp_path)
    plain = kind(hostile)
    assert hostile.plainly(*plain), "the clone of the test does no harm"
    head = (hostile.dot_git / "HEAD").read_text()
    read_all(hostile, tmp_path / "below")
    assert not hostile.mark.exists()
    assert (hostile.dot_git / "HEAD").read_text() == head


@pytest.mark.parametrize(
    "url", ["ext::{program}", "--upload-pack={program}", "ssh://-oProxyCommand={program}/x"]
)
def test_the_address_of_a_submodule_runs_nothing(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = tmp_path / "gitconfig"
    rules.write_text('[protocol "ext"]\n\tallow = always\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(rules))
    hostile = Hostile(tmp_path)
    address = url.format(program=hostile.program)
    modules = f'[submodule "dlpack"]\n\tpath = thirdparty/dlpack\n\turl = {address}\n'
    hostile.made.commit("Modules", {".gitmodules": modules, "thirdparty/other": "1"})
    hostile.made.git("update-index", "--add", "--cacheinfo", f"160000,{hostile.last},thirdparty/dlpack")
    hostile.made.git("commit", "--quiet", "-m", "Pin")
    clone, last = Clone.at(hostile.folder), hostile.made.git("rev-parse", "HEAD")
    stand_ins(clone, last)
    tree = tmp_path / "tree"
    check_out(tree, clone, last)
    said = fill_submodules(tree, clone, last, "thirdparty/dlpack", tmp_path / "kept")
    assert set(said) == {"thirdparty/dlpack"}
    assert not hostile.mark.exists()
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["dlpack"]


def test_a_submodule_has_no_name_that_leads_out(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    modules = f'[submodule "../../../evil"]\n\tpath = thirdparty/dlpack\n\turl = {hostile.folder}\n'
    hostile.made.commit("Modules", {".gitmodules": modules})
    hostile.made.git("update-index", "--add", "--cacheinfo", f"160000,{hostile.last},thirdparty/dlpack")
    hostile.made.git("commit", "--quiet", "-m", "Pin")
    clone, last = Clone.at(hostile.folder), hostile.made.git("rev-parse", "HEAD")
    tree = tmp_path / "a/b/tree"
    check_out(tree, clone, last)
    fill_submodules(tree, clone, last, "thirdparty/dlpack", tmp_path / "a/b/kept")
    assert not list(tmp_path.rglob("*evil*"))


def test_a_checkout_elsewhere_is_not_read(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    hostile.set("core.worktree", str(tmp_path))
    assert Repository(hostile.folder).folder == hostile.folder
    assert Clone.at(hostile.folder).folder == hostile.folder


def test_a_replaced_object_is_what_its_hash_says(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    hostile.made.git("replace", hostile.last, f"{hostile.last}~1")
    repository = Repository(hostile.folder)
    assert repository.facts(hostile.last).subject == "Change (#2)"


def test_an_object_that_is_not_what_its_hash_says_is_refused(tmp_path: Path) -> None:
    """A folder of a commit's Python is kept under its hash, and used for other clones."""
    hostile = Hostile(tmp_path)
    good, bad = (
        hostile.made.git("rev-parse", f"HEAD:{path}") for path in ("python/flydsl/more.py", "README.md")
    )
    place = hostile.dot_git / "objects" / good[:2] / good[2:]
    place.chmod(0o644)
    place.write_bytes((hostile.dot_git / "objects" / bad[:2] / bad[2:]).read_bytes())
    with pytest.raises(GitFailed):
        Repository(hostile.folder).export(hostile.last, "python/flydsl", tmp_path / "exported")


def tree_of(hostile: Hostile, *entries: tuple[str, str, str]) -> str:
    """The hash of a tree that git would not make: mode, name, hash of each entry."""
    content = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(digest) for mode, name, digest in entries)
    done = subprocess.run(
        ["git", "hash-object", "-t", "tree", "--literally", "-w", "--stdin"],
        cwd=hostile.folder,
        input=content,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


def blob_of(hostile: Hostile, text: str) -> str:
    place = hostile.folder.parent / "text"
    place.write_text(text)
    return hostile.made.git("hash-object", "-w", str(place))


@pytest.mark.parametrize("name", ["..", ".", ".git", ".GIT", "a/b"])
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str) -> None:
    hostile = Hostile(tmp_path)
    inner = tree_of(hostile, ("100644", "escaped", blob_of(hostile, "x")))
    outer = tree_of(hostile, ("40000", name, inner))
    with pytest.raises(Unusable, match="no folder can hold"):
        write_tree(Clone.at(hostile.folder).raw, outer, tmp_path / "deep/tree")
    assert not list(tmp_path.rglob("escaped"))


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    link, text = blob_of(hostile, "inside"), blob_of(hostile, "x")
    inner = tree_of(hostile, ("100644", "escaped", text))
    twice = tree_of(hostile, ("120000", "a", link), ("40000", "a", inner))
    with pytest.raises(Unusable, match="twice"):
        write_tree(Clone.at(hostile.folder).raw, twice, tmp_path / "tree")


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "a/../../outside"])
def test_links_that_lead_out_are_refused(tmp_path: Path, target: str) -> None:
    hostile = Hostile(tmp_path)
    tree = tree_of(hostile, ("120000", "a", blob_of(hostile, target)))
    with pytest.raises(Unusable, match="leads out"):
        write_tree(Clone.at(hostile.folder).raw, tree, tmp_path / "tree")


def test_a_tree_that_grows_without_end_is_refused(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    tree = tree_of(hostile, ("100644", "f", blob_of(hostile, "x")))
    for _ in range(8):
        tree = tree_of(hostile, *(("40000", f"d{number}", tree) for number in range(10)))
    with pytest.raises(Unusable, match="more than"):
        write_tree(Clone.at(hostile.folder).raw, tree, tmp_path / "tree")


def test_links_and_programs_are_written_as_a_checkout_does(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    program = hostile.folder / "python/flydsl/run.sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (hostile.folder / "python/flydsl/link.py").symlink_to("more.py")
    last = hostile.made.commit("Kinds of files", {"python/flydsl/deep/er/x.py": "é\n"})
    target = tmp_path / "exported"
    Repository(hostile.folder).export(last, "python/flydsl", target)
    assert (target / "link.py").readlink() == Path("more.py")
    assert os.access(target / "run.sh", os.X_OK) and not os.access(target / "more.py", os.X_OK)
    assert (target / "deep/er/x.py").read_text("utf-8") == "é\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_clone_of_another_user_is_refused_as_git_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    rules = tmp_path / "gitconfig"
    rules.write_text("")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(rules))
    hostile = Hostile(tmp_path)
    for path in (hostile.folder, hostile.dot_git):
        os.chown(path, 4321, 4321)
    monkeypatch.setenv("GIT_DIR", str(hostile.dot_git))
    for read in (Repository, Clone.at):
        with pytest.raises(NotYours, match="another user") as refused:
            read(hostile.folder)
        assert f"safe.directory {hostile.folder}" in str(refused.value)
    rules.write_text(f"[safe]\n\tdirectory = {hostile.folder}\n")
    assert Repository(hostile.folder).commit("main") == hostile.last
    assert Clone.at(hostile.folder).commit("main") == hostile.last
