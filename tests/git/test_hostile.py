"""Clones whose configuration names programs: each would leave a mark, and none is run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.git.command import GitFailed, NotYours
from flybisect.git.landmarks import landmarks
from flybisect.git.range import read_range
from flybisect.git.repository import Repository
from flybisect.git.worktree import check_out
from flybisect.toolchain.submodules import fill_submodules, stand_ins
from tests.git.hostile import Hostile, missing
from tests.git.madeup import LAYOUT, laid_out

HOOKS = ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman")


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
    repository.mentions(hostile.last, "dlpack")
    stand_ins(repository, hostile.last)
    assert repository.text(hostile.last, "README.md") == LAYOUT["README.md"]
    tree = hostile.made.git("rev-parse", "HEAD^{tree}")
    for write in (
        lambda: repository.export(hostile.last, "python/flydsl", below / "exported"),
        lambda: repository.write(tree, below / "tree"),
        lambda: check_out(below / "checkout", repository, hostile.last),
        lambda: fill_submodules(below / "checkout", repository, hostile.last, "thirdparty", below / "kept"),
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
    clone, last = Repository(hostile.folder), hostile.made.git("rev-parse", "HEAD")
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
    clone, last = Repository(hostile.folder), hostile.made.git("rev-parse", "HEAD")
    tree = tmp_path / "a/b/tree"
    check_out(tree, clone, last)
    fill_submodules(tree, clone, last, "thirdparty/dlpack", tmp_path / "a/b/kept")
    assert not list(tmp_path.rglob("*evil*"))


def test_a_checkout_elsewhere_is_not_read(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    hostile.set("core.worktree", str(tmp_path))
    assert Repository(hostile.folder).folder == hostile.folder


def test_a_replaced_object_is_what_its_hash_says(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    hostile.made.git("replace", hostile.last, f"{hostile.last}~1")
    repository = Repository(hostile.folder)
    assert repository.facts(hostile.last).subject == "Change (#2)"


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
    with pytest.raises(NotYours, match="another user") as refused:
        Repository(hostile.folder)
    assert f"safe.directory {hostile.folder}" in str(refused.value)
    rules.write_text(f"[safe]\n\tdirectory = {hostile.folder}\n")
    assert Repository(hostile.folder).commit("main") == hostile.last
