"""Objects of a clone that are missing, damaged, or lead out of the folder that they are written to."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flybisect.git.command import GitFailed
from flybisect.git.objects import Unusable
from flybisect.git.repository import Repository
from tests.git.hostile import Hostile, missing
from tests.git.madeup import LAYOUT


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
        Repository(hostile.folder).write(outer, tmp_path / "deep/tree")
    assert not list(tmp_path.rglob("escaped"))


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    link, text = blob_of(hostile, "inside"), blob_of(hostile, "x")
    inner = tree_of(hostile, ("100644", "escaped", text))
    twice = tree_of(hostile, ("120000", "a", link), ("40000", "a", inner))
    with pytest.raises(Unusable, match="twice"):
        Repository(hostile.folder).write(twice, tmp_path / "tree")


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "a/../../outside"])
def test_links_that_lead_out_are_refused(tmp_path: Path, target: str) -> None:
    hostile = Hostile(tmp_path)
    tree = tree_of(hostile, ("120000", "a", blob_of(hostile, target)))
    with pytest.raises(Unusable, match="leads out"):
        Repository(hostile.folder).write(tree, tmp_path / "tree")


def test_a_tree_that_grows_without_end_is_refused(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    tree = tree_of(hostile, ("100644", "f", blob_of(hostile, "x")))
    for _ in range(8):
        tree = tree_of(hostile, *(("40000", f"d{number}", tree) for number in range(10)))
    with pytest.raises(Unusable, match="more than"):
        Repository(hostile.folder).write(tree, tmp_path / "tree")


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


def test_a_configuration_that_only_git_reads_is_no_hindrance(tmp_path: Path) -> None:
    """GitPython's parser refuses a key beside its section's name."""
    hostile = Hostile(tmp_path)
    with (hostile.dot_git / "config").open("a") as config:
        config.write('[remote "origin"] url = nowhere\n')
    repository = Repository(hostile.folder)
    assert repository.inputs(hostile.last).python == repository.inputs("HEAD").python != ""
    assert repository.setting("remote.origin.url") == "nowhere"


def test_an_object_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = Hostile(tmp_path)
    repository = Repository(hostile.folder)
    assert repository.text("HEAD", "python/flydsl/__init__.py")
    missing(hostile)
    blob = hostile.made.git("rev-parse", "HEAD:python/flydsl/more.py")
    os.mkfifo(hostile.dot_git / "objects" / blob[:2] / blob[2:])
    monkeypatch.setattr("flybisect.git.repository.TIMEOUT", 0.5)
    with pytest.raises(GitFailed):
        repository.text("HEAD", "python/flydsl/more.py")
    assert repository.text("HEAD", "README.md") == LAYOUT["README.md"], "it reads no more"


def test_threads_share_a_clone_that_is_packed_meanwhile(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    repository = Repository(hostile.folder)
    with ThreadPoolExecutor(4) as pool:
        first = list(pool.map(repository.inputs, [hostile.last, "HEAD~1"] * 8))
        hostile.made.git("gc", "--quiet", "--prune=now")
        second = list(pool.map(repository.inputs, [hostile.last, "HEAD~1"] * 8))
    assert first == second
    assert first[0] == first[2] != first[1]
    assert Repository(hostile.folder).inputs(hostile.last) == first[0]


def test_a_commit_in_an_unknown_encoding_is_read(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    hostile.set("i18n.commitEncoding", "no-such-encoding")
    last = hostile.made.commit("Odd (#3)", {"lib/Fly.cpp": "odd"})
    repository = Repository(hostile.folder)
    assert repository.facts(last).subject == "Odd (#3)"
    assert repository.inputs(last).native != repository.inputs(f"{last}~1").native
