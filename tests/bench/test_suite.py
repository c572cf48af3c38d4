"""What the suite's bench works out, and how it lays out a case, without reducing one."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.milestones import Point, Successes, compiles_until, successes
from tests.bench.report import ROOT
from tests.bench.suite_cases import DRIVERS, Edit, Kernel, edited, kernels, lay_out
from tests.bench.suite_run import run


def test_milestones_of_a_course() -> None:
    course = [Point(2, 100), Point(5, 60), Point(9, 50), Point(30, 12), Point(31, 10)]
    assert [compiles_until(course, share) for share in (2, 4, 10, 20)] == [9, 30, 31, None]
    assert compiles_until([], 2) is None


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=12))
def test_a_smaller_share_comes_no_earlier(steps: list[tuple[int, int]]) -> None:
    compiles, left = 0, 400
    course = [Point(compiles, left)]
    for more, fewer in steps:
        compiles, left = compiles + more, max(1, left - fewer * fewer)
        course.append(Point(compiles, left))
    reached = [compiles_until(course, share) for share in (2, 4, 10)]
    known = [each for each in reached if each is not None]
    assert known == sorted(known)
    assert reached[len(known) :] == [None] * (3 - len(known))


def script(statements: int) -> str:
    return "".join(f"x{n} = {n}\n" for n in range(statements))


def test_successes_that_are_given_up_are_counted() -> None:
    back = [script(n) for n in (9, 8, 7, 6, 8, 5)]
    assert successes(back) == Successes(held=4, undone=2)
    assert successes(back).share == 0.5


def test_a_larger_script_that_was_never_there_undoes_one() -> None:
    partly = [script(9), script(6), script(5), script(7) + "y = 1\n", script(4)]
    assert successes(partly) == Successes(held=3, undone=1)


def test_fewer_parameters_for_one_statement_more_is_no_step_back() -> None:
    two = "def f(a, b):\n    return a + b\n\nf(1, 2)\n"
    none = "def f():\n    a = 1\n    return a\n\nf()\n"
    assert successes([two, none]) == Successes(held=1, undone=0)


@given(st.lists(st.integers(0, 30), max_size=15))
def test_nothing_is_undone_where_scripts_only_shrink(sizes: list[int]) -> None:
    texts = [script(size) for size in sorted(sizes, reverse=True)]
    found = successes(texts)
    assert found.undone == 0
    assert found.held == max(0, len(set(texts)) - 1)


def test_the_suite_is_as_large_as_it_is_said_to_be() -> None:
    suite = kernels()
    large = [kernel for kernel in suite if kernel.statements >= 400]
    assert len({kernel.name for kernel in suite}) == len(suite)
    assert len(large) >= 12
    assert sum(kernel.figure is not None for kernel in large) >= 8


@pytest.mark.parametrize("kernel", kernels(), ids=lambda kernel: kernel.name)
def test_a_kernel_of_the_suite_has_its_driver(kernel: Kernel) -> None:
    driver = (DRIVERS / kernel.driver).read_text()
    module = kernel.path.removesuffix(".py").replace("/", ".")
    assert module in driver or module.rpartition(".")[0] in driver
    assert len(kernel.commit) == 40
    assert any(kernel.path.startswith(f"{folder}/") for folder in kernel.folders)


def test_every_driver_is_used() -> None:
    assert {path.name for path in DRIVERS.glob("*.py")} == {kernel.driver for kernel in kernels()}


def test_an_edit_has_to_fit() -> None:
    assert edited("a = b\nc = b\n", Edit("x.py", "b", "1")) == "a = 1\nc = 1\n"
    with pytest.raises(ValueError, match=r"x\.py does not have"):
        edited("a = b\n", Edit("x.py", "z", "1"))


@pytest.fixture
def clone(tmp_path: Path) -> tuple[Path, str]:
    """A repository with a package three folders down, and its commit."""
    folder = tmp_path / "clone"
    kernel = folder / "lib" / "ops" / "kernels" / "softmax.py"
    kernel.parent.mkdir(parents=True)
    kernel.write_text("WIDTH = gpu.block_dim.x\n")
    (folder / "other.py").touch()
    for argv in (
        ["init", "--quiet"],
        ["add", "--all"],
        ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "--message", "first"],
    ):
        subprocess.run(["git", "-C", str(folder), *argv], check=True)
    commit = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    )
    return folder, commit.stdout.strip()


def small(repository: str, commit: str) -> Kernel:
    softmax = next(kernel for kernel in kernels() if kernel.name == "softmax")
    edit = Edit("lib/ops/kernels/softmax.py", "gpu.block_dim.x", "256")
    folders = ("lib/ops/kernels",)
    return replace(softmax, repository=repository, commit=commit, folders=folders, edits=(edit,))


@pytest.mark.parametrize("given", [True, False], ids=["a clone that is given", "fetched"])
def test_a_case_is_laid_out(clone: tuple[Path, str], tmp_path: Path, given: bool) -> None:
    source, commit = clone
    kernel = small("nowhere" if given else source.as_uri(), commit)
    folder = lay_out(kernel, [str(source)] if given else [], tmp_path / "case", tmp_path / "cache")

    case = yaml.safe_load((folder / "case.yaml").read_text())
    assert case == {"script": "softmax.py", **kernel.case}
    assert (folder / "softmax.py").is_file()
    assert not (folder / "other.py").exists()
    told = subprocess.run(
        [sys.executable, "-c", "from lib.ops.kernels import softmax; print(softmax.WIDTH)"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    assert told.stdout == "256\n"
    assert (tmp_path / "cache").exists() is not given


def test_a_commit_that_is_nowhere_is_said(clone: tuple[Path, str], tmp_path: Path) -> None:
    source, _ = clone
    kernel = small(source.as_uri(), "0" * 40)
    with pytest.raises(ValueError, match=r"no clone has the commit 0{40}"):
        lay_out(kernel, [str(source)], tmp_path / "case", tmp_path / "cache")


def test_a_run_stops_after_the_compiles_that_it_may_have(tmp_path: Path) -> None:
    seed = ROOT / "seeds" / "buffer_copy"
    case = tmp_path / "case.yaml"
    about = yaml.safe_load((seed / "case.yaml").read_text())
    case.write_text(yaml.safe_dump({**about, "script": str(seed / about["script"]), "flydsl": "installed"}))
    found = run(case, tmp_path / "left.py", 600, most_compiles=6)
    assert found.stopped
    assert not found.result.minimal
    assert found.result.verified_cold
    assert found.compiles <= 7
    assert found.course[0].left > found.course[-1].left
    assert (tmp_path / "left.py").read_text() == found.result.reduced
    assert 0 < found.in_trials < found.seconds
