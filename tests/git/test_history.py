from __future__ import annotations

import json
from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.git.build_inputs import Half, touched
from flybisect.git.candidates import candidates
from flybisect.git.commit import Commit
from flybisect.git.imports import imported_paths
from flybisect.git.landmarks import Landmark, differing, landmarks
from flybisect.git.range import read_range
from flybisect.git.repository import Repository
from flybisect.toolchain.store import silent
from flybisect.workflows.locate import locate
from tests.git.madeup import LAYOUT, MadeUp, laid_out


@pytest.fixture
def made(tmp_path: Path) -> MadeUp:
    return laid_out(tmp_path / "fly")


def opened(made: MadeUp) -> Repository:
    return Repository(made.folder)


@pytest.mark.parametrize(
    ("subject", "number"),
    [
        ("[Fix] it (#1052)", 1052),
        ("[2/5] autotune: (#770) (#785)", 785),
        ("Fix hang  (#873)", 873),
        ("no number", None),
        ("see #12", None),
    ],
)
def test_the_last_number_of_a_subject_is_its_pull_request(subject: str, number: int | None) -> None:
    assert Commit("0" * 40, (), "", "", subject).pull_request == number


def test_facts(made: MadeUp) -> None:
    wanted = made.commit("A (b): c (#7)")
    (found,) = opened(made).between(opened(made).commit("v1.0.0"), wanted)
    assert (found.hash, found.subject, found.author, found.pull_request) == (
        wanted,
        "A (b): c (#7)",
        "a@b",
        7,
    )
    assert found.date.startswith("2026-01-01T")
    assert opened(made).facts(wanted) == found


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"README.md": "other\n"}, ()),
        ({"python/flydsl/__init__.py": ""}, (Half.PYTHON,)),
        ({"lib/Fly.cpp": ""}, (Half.NATIVE,)),
        ({"include/New.h": ""}, (Half.NATIVE,)),
        ({"CMakeLists.txt": ""}, (Half.NATIVE,)),
        ({"python/mlir_flydsl/new.py": ""}, (Half.NATIVE,)),
        ({"thirdparty/llvm-hash.txt": "2" * 40}, (Half.LLVM, Half.NATIVE)),
        ({"thirdparty/llvm-x.patch": "-"}, (Half.LLVM, Half.NATIVE)),
        ({"scripts/build_llvm.sh": ""}, (Half.LLVM,)),
        ({"scripts/build.sh": ""}, (Half.SCRIPTS,)),
        ({"kernels/gemm.py": ""}, (Half.IMPORTED,)),
        ({"lib/Fly.cpp": "", "python/flydsl/__init__.py": ""}, (Half.NATIVE, Half.PYTHON)),
    ],
)
def test_what_a_commit_touches(made: MadeUp, files: dict[str, str | None], expected: tuple[str, ...]) -> None:
    repository = opened(made)
    before = repository.inputs("v1.0.0", ["kernels"])
    after = repository.inputs(made.commit("change", files), ["kernels"])
    assert touched(before, after) == expected
    if expected == (Half.IMPORTED,):
        assert repository.inputs("v1.0.0") == repository.inputs("HEAD")


def test_llvm_pins_old_and_new(made: MadeUp) -> None:
    repository = opened(made)
    assert repository.inputs("HEAD").llvm_pin == "1" * 40
    info = json.dumps({"upstream": {"llvm_hash": "2" * 40}})
    made.commit("move", {"thirdparty/llvm-hash.txt": None, "thirdparty/llvm-build-info.json": info})
    assert repository.inputs("HEAD").llvm_pin == "2" * 40
    made.commit("none", {"thirdparty/llvm-build-info.json": "{}"})
    assert repository.inputs("HEAD").llvm_pin is None


def test_a_pinned_submodule_counts(made: MadeUp) -> None:
    repository = opened(made)
    for digit in "ab":
        made.git("update-index", "--add", "--cacheinfo", f"160000,{digit * 40},thirdparty/dlpack")
        made.git("commit", "--quiet", "-m", digit)
    assert touched(repository.inputs("HEAD~"), repository.inputs("HEAD")) == (Half.NATIVE,)


def test_commits_with_the_same_inputs_are_one_candidate(made: MadeUp) -> None:
    repository = opened(made)
    made.commit("docs", {"README.md": "1"})
    made.commit("python", {"python/flydsl/a.py": "1"})
    made.commit("docs", {"README.md": "2"})
    made.commit("back", {"python/flydsl/a.py": None})
    line = read_range(repository, "v1.0.0..main").commits
    found = candidates([(commit, repository.inputs(commit.hash)) for commit in line])
    assert [len(candidate.commits) for candidate in found] == [2, 2, 1]
    assert found[0].inputs == found[2].inputs
    assert found[1].first.subject == "python"


def test_ranges(made: MadeUp) -> None:
    tagged = made.git("rev-parse", "HEAD")
    hashes = [made.commit(f"c{number}", {"README.md": str(number)}) for number in range(3)]
    repository = opened(made)
    found = read_range(repository, "v1.0.0..main")
    assert [commit.hash for commit in found.commits] == [tagged, *hashes]
    assert found.base is None and not found.merges and not found.unlisted_end
    assert read_range(repository, "v1.0.0..") == found
    assert [commit.hash for commit in read_range(repository, f"{hashes[0][:9]}..HEAD~1").commits] == hashes[
        :2
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("v1.0.0", "no range"),
        ("..main", "no range"),
        ("v1.0.0...main", "three dots"),
        ("v1.0.1..main", "did you mean v1.0.0"),
        ("v1.0.0..nowhere", "no commit 'nowhere'"),
        ("main..main", "both ends"),
        ("main..v1.0.0", "is empty: v1.0.0 is older than main"),
        ("--all..main", "no commit '--all'"),
        ("v1.0.0..apart", "no commit in common"),
    ],
)
def test_ranges_that_are_none(made: MadeUp, text: str, words: str) -> None:
    made.commit("more", {"README.md": "more"})
    made.git("switch", "--quiet", "--orphan", "apart")
    made.commit("root of its own", {"a": "b"})
    with pytest.raises(UserError, match="\\b" + words if words[0].isalpha() else words) as raised:
        read_range(opened(made), text)
    assert "\n" not in str(raised.value)


def test_an_end_that_is_no_ancestor_has_a_merge_base(made: MadeUp) -> None:
    base = made.git("rev-parse", "HEAD")
    made.git("switch", "--quiet", "-c", "release")
    made.commit("release fix", {"lib/Fly.cpp": "fix"})
    made.tag("v1.0.1")
    made.git("switch", "--quiet", "main")
    made.commit("goes on", {"lib/Fly.cpp": "on"})
    found = read_range(opened(made), "v1.0.1..main")
    assert found.base is not None and found.base.hash == base
    assert found.older.subject == "release fix"
    assert [commit.subject for commit in found.commits] == ["Begin (#1)", "goes on"]


def test_merges_are_followed_along_first_parents(made: MadeUp) -> None:
    made.git("switch", "--quiet", "-c", "side")
    made.commit("side", {"lib/Side.cpp": ""})
    made.git("switch", "--quiet", "main")
    made.commit("main", {"lib/Fly.cpp": "1"})
    made.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
    found = read_range(opened(made), "v1.0.0..main")
    assert found.merges
    assert [commit.subject for commit in found.commits] == ["Begin (#1)", "main", "merge"]


def test_paths(made: MadeUp) -> None:
    made.commit("docs", {"README.md": "1"})
    made.commit("lib", {"lib/Fly.cpp": "1"})
    made.commit("python", {"python/flydsl/a.py": "1"})
    found = read_range(opened(made), "v1.0.0..main", paths=["lib"])
    assert [commit.subject for commit in found.commits] == ["Begin (#1)", "lib", "python"]
    assert found.unlisted_end
    with pytest.raises(UserError, match="touches nowhere"):
        read_range(opened(made), "v1.0.0..main", paths=["nowhere"])


def test_the_checkout_is_not_touched(made: MadeUp, tmp_path: Path) -> None:
    made.commit("more", {"lib/Fly.cpp": "1"})
    (made.folder / "lib/Fly.cpp").write_text("not committed")
    before = made.git("status", "--porcelain=v2", "--branch"), sorted(made.folder.rglob("*"))
    repository = Repository(made.folder / "lib")
    repository.inputs(read_range(repository, "v1.0.0..main").newer.hash)
    repository.export("v1.0.0", "python/flydsl", tmp_path / "out")
    assert (made.git("status", "--porcelain=v2", "--branch"), sorted(made.folder.rglob("*"))) == before
    assert (tmp_path / "out/__init__.py").read_text() == LAYOUT["python/flydsl/__init__.py"]


def test_a_clone_that_is_none(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(UserError, match="not in a git clone"):
            Repository(path)


def test_a_shallow_clone_says_what_to_do(made: MadeUp, tmp_path: Path) -> None:
    made.commit("more", {"README.md": "more"})
    made.git("clone", "--quiet", "--depth=1", f"file://{made.folder}", str(tmp_path / "shallow"))
    with pytest.raises(UserError, match="--unshallow"):
        read_range(Repository(tmp_path / "shallow"), "v1.0.0..main")


def test_releases_by_tag_number_and_hash(made: MadeUp) -> None:
    hashes = [made.commit(f"c{number}", {"README.md": str(number)}) for number in range(3)]
    tagged = made.git("rev-parse", "v1.0.0^{commit}")
    versions = ["1.0.0", "1.0.1.dev2", "1.0.1.dev4", "1.0.1.dev9", "1.0.1", f"1.0.1+20260101.{hashes[2][:9]}"]
    assert landmarks(opened(made), versions, hashes[2]) == [
        Landmark("1.0.0", tagged),
        Landmark("1.0.1.dev2", hashes[0]),
        Landmark("1.0.1.dev4", hashes[2]),
        Landmark(f"1.0.1+20260101.{hashes[2][:9]}", hashes[2]),
    ]


def test_a_release_is_compared_with_its_commit(made: MadeUp, tmp_path: Path) -> None:
    repository = opened(made)
    repository.export("v1.0.0", "python/flydsl", tmp_path / "site/flydsl")
    (tmp_path / "site/flydsl/_mlir").mkdir()
    assert differing(repository, "v1.0.0", tmp_path / "site") == []
    (tmp_path / "site/flydsl/__init__.py").write_text("other")
    assert differing(repository, "v1.0.0", tmp_path / "site") == ["__init__.py"]


def test_what_a_script_imports_of_the_repository(tmp_path: Path) -> None:
    source = "import torch\nimport kernels.gemm as g\nfrom tests.utils import x\nfrom .lib import y\n"
    script = tmp_path / "script.py"
    assert imported_paths(source, script, ["kernels", "lib", "tests"]) == ("kernels", "tests")
    (tmp_path / "tests").mkdir()
    assert imported_paths(source, script, ["kernels", "lib", "tests"]) == ("kernels",)
    assert imported_paths("import (", script, ["kernels"]) == ()


def test_which_clone_is_meant(made: MadeUp, tmp_path: Path) -> None:
    work, elsewhere = tmp_path / "work", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with pytest.raises(UserError, match="--repo"):
        locate(None, elsewhere, None, work, silent)
    assert locate(None, made.folder / "lib", None, work, silent).folder == made.folder
    assert locate(str(made.folder), elsewhere, None, work, silent).folder == made.folder
    assert locate(None, elsewhere, made.folder, work, silent).folder == made.folder
    cloned = locate(f"file://{made.folder}", elsewhere, None, work, silent)
    assert cloned.folder.is_relative_to(work)
    more = made.commit("more", {"README.md": "more"})
    assert locate(f"file://{made.folder}", elsewhere, None, work, silent).commit("main") == more
    assert locate(None, elsewhere, None, work, silent).commit("main") == more
    with pytest.raises(UserError, match="can't be cloned"):
        locate(f"file://{elsewhere}", elsewhere, None, work, silent)
