"""Builds of a small C++ project on a worker, with the real git, CMake and compiler."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from flybisect.cluster.builder import ClusterBuilder
from flybisect.cluster.client import SchedulerClient
from flybisect.cluster.prober import ClusterProber
from flybisect.errors import UserError
from flybisect.toolchain.failure import BuildFailed
from flybisect.toolchain.processes import Stopped
from flybisect.toolchain.source import SourceBuilder
from flybisect.workflows.workers import building
from tests.cluster.cluster import cluster
from tests.toolchain.project import CORE, HEADER, Project, described, git, smoke

pytestmark = pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("c++") is None, reason="needs CMake and a C++ compiler"
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project.made(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SchedulerClient]:
    pytest.importorskip("distributed")
    with cluster(tmp_path_factory.mktemp("cluster"), workers=1, preload="tests.cluster.made_up") as made:
        link = SchedulerClient(made.address)
        yield link
        link.close()


def told_by(project: Project, workdir: Path, link: SchedulerClient) -> tuple[ClusterBuilder, list[str]]:
    told: list[str] = []
    local = SourceBuilder(project.folder, workdir, None, 1, 60.0, told.append, smoke=smoke)
    found = building(ClusterProber(link), local)
    assert isinstance(found, ClusterBuilder)
    return found, told


@pytest.mark.timeout(300)
def test_a_build_is_made_there_and_found_here(
    project: Project, link: SchedulerClient, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    builder, told = told_by(project, tmp_path / "work", link)
    base = git(project.folder, "rev-parse", "HEAD")
    assert described(builder.build(base)).startswith("1 ")
    assert told == [f"building {base[:12]} on the cluster"]
    python = project.commit("A module more", {"python/flydsl/extra.py": "EXTRA = 1\n"})
    native = project.commit("Native", {HEADER: '#define ANSWER "2"\n'})
    assert described(builder.build(python)).startswith("1 ")
    assert len(told) == 1, "its natives were built already"
    assert described(builder.build(native)).startswith("2 ")
    # Another command, with a working folder of its own, finds them in the worker's cache.
    (tmp_path / "other").mkdir()
    other, _ = told_by(project, tmp_path / "other", link)
    began = time.monotonic()
    assert described(other.build(native)).startswith("2 ")
    assert time.monotonic() - began < 30


@pytest.mark.timeout(300)
def test_a_build_that_fails_brings_its_log(project: Project, link: SchedulerClient, tmp_path: Path) -> None:
    broken = project.aside("Breaks", {CORE: project.text(CORE).replace("ANSWER", "ANSWERR")})
    builder, _ = told_by(project, tmp_path, link)
    with pytest.raises(BuildFailed, match=r"error: .ANSWERR. was not declared.*\(on tcp://") as caught:
        builder.build(broken)
    assert "ANSWERR" in caught.value.log.read_text()
    assert caught.value.log == builder.log(broken)


def test_a_build_can_be_ended(project: Project, link: SchedulerClient, tmp_path: Path) -> None:
    slow = project.aside("Takes long", {"CMakeLists.txt": "execute_process(COMMAND sleep 120)\n"})
    builder, _ = told_by(project, tmp_path, link)
    threading.Timer(3, builder.stop.set).start()
    began = time.monotonic()
    with pytest.raises(Stopped):
        builder.build(slow)
    assert time.monotonic() - began < 30


def test_what_a_worker_does_not_see_is_said(project: Project, link: SchedulerClient, tmp_path: Path) -> None:
    builder, _ = told_by(project, tmp_path / "nowhere", link)
    with pytest.raises(UserError, match=r"it does not see .*nowhere; that has to be on a file system"):
        builder.build(git(project.folder, "rev-parse", "HEAD"))
