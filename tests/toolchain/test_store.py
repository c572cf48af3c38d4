from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from flybisect.toolchain.store import built_once

FORK = multiprocessing.get_context("fork")


def note(folder: Path, line: str) -> None:
    with (folder / "builds").open("a") as builds:
        builds.write(line + "\n")


def build_slowly(target: Path) -> None:
    def build(folder: Path) -> None:
        note(target.parent, str(os.getpid()))
        (folder / "half").touch()
        time.sleep(0.5)
        (folder / "whole").touch()

    built_once(target, build)


def test_built_once_and_kept(tmp_path: Path) -> None:
    for _ in range(2):
        assert built_once(tmp_path / "tool", lambda folder: note(tmp_path, folder.name)) == tmp_path / "tool"
    assert len((tmp_path / "builds").read_text().splitlines()) == 1


def test_two_processes_build_it_once(tmp_path: Path) -> None:
    builders = [FORK.Process(target=build_slowly, args=(tmp_path / "tool",)) for _ in range(2)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join(30)
    assert [builder.exitcode for builder in builders] == [0, 0]
    assert len((tmp_path / "builds").read_text().splitlines()) == 1
    assert (tmp_path / "tool" / "whole").exists()


def test_the_one_that_waits_is_told(tmp_path: Path) -> None:
    builder = FORK.Process(target=build_slowly, args=(tmp_path / "tool",))
    builder.start()
    while not (tmp_path / "builds").exists():
        time.sleep(0.01)
    told: list[str] = []
    built_once(tmp_path / "tool", lambda folder: note(tmp_path, "second"), told.append)
    builder.join(30)
    assert len(told) == 1 and "waiting" in told[0]
    assert "second" not in (tmp_path / "builds").read_text()


def test_a_killed_build_is_never_taken_for_a_whole_one(tmp_path: Path) -> None:
    builder = FORK.Process(target=build_slowly, args=(tmp_path / "tool",))
    builder.start()
    while not list(tmp_path.glob(".tool.partial-*/half")):
        time.sleep(0.01)
    assert builder.pid is not None
    os.kill(builder.pid, signal.SIGKILL)
    builder.join(30)
    assert not (tmp_path / "tool").exists()
    assert list(tmp_path.glob(".tool.partial-*")), "the killed build should have left its folder"

    build_slowly(tmp_path / "tool")
    assert (tmp_path / "tool" / "whole").exists()
    assert not list(tmp_path.glob(".tool.partial-*"))


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        built_once(tmp_path / "tool", fail)
    assert [path.name for path in tmp_path.iterdir()] == [".tool.lock"]
    built_once(tmp_path / "tool", lambda folder: (folder / "whole").touch())
    assert (tmp_path / "tool" / "whole").exists()
