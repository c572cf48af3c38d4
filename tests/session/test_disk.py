"""What lies in a working folder: sizes, what goes with what, what is busy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flybisect.case.case import Case
from flybisect.session.disk import StoredFolder, format_size, remove, select_folders, size_of, stored_folders
from flybisect.session.session import open_session


def folder(path: Path, size: int = 1) -> Path:
    path.mkdir(parents=True)
    (path / "file").write_bytes(b"x" * size)
    return path


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    release = folder(tmp_path / "toolchains" / "flydsl-0.3.0-x")
    other = folder(tmp_path / "toolchains" / "flydsl-0.3.1-x")
    (folder(tmp_path / "toolchains" / "overlay-a") / "lib").symlink_to(release)
    (folder(tmp_path / "toolchains" / "overlay-b") / "deep").mkdir()
    (tmp_path / "toolchains" / "overlay-b" / "deep" / "lib.so").symlink_to(other / "file")
    (folder(tmp_path / "toolchains" / "source-a") / "lib").symlink_to(release)
    folder(tmp_path / "sessions" / "kernel-1")
    folder(tmp_path / "clones" / "FlyDSL")
    folder(tmp_path / "elsewhere" / "mine")
    (tmp_path / "toolchains" / "overlay-a.log").write_text("log")
    (tmp_path / "toolchains" / ".overlay-a.lock").write_text("")
    (tmp_path / "sessions" / "link").symlink_to(tmp_path / "sessions" / "kernel-1")
    return tmp_path


def names(found: list[StoredFolder]) -> list[str]:
    return [item.name for item in found]


def test_folders_of_every_kind_sessions_first(workdir: Path) -> None:
    assert names(stored_folders(workdir)) == [
        "sessions/kernel-1",
        *(f"toolchains/{name}" for name in ("flydsl-0.3.0-x", "flydsl-0.3.1-x")),
        *(f"toolchains/{name}" for name in ("overlay-a", "overlay-b", "source-a")),
        "clones/FlyDSL",
    ]
    assert stored_folders(workdir / "nothing") == []


def test_a_release_is_chosen_with_the_overlays_that_link_into_it(workdir: Path) -> None:
    found = stored_folders(workdir)
    chosen_items, unknown = select_folders(found, ["flydsl-0.3.0", "nobody"])
    assert names(chosen_items) == ["toolchains/flydsl-0.3.0-x", "toolchains/overlay-a"]
    assert unknown == ["nobody"]
    assert names(select_folders(found, ["toolchains/flydsl-0.3.1"])[0]) == [
        "toolchains/flydsl-0.3.1-x",
        "toolchains/overlay-b",
    ]
    assert names(select_folders(found, ["overlay-a", "clones/"])[0]) == [
        "toolchains/overlay-a",
        "clones/FlyDSL",
    ]
    assert select_folders(found, []) == (found, [])


def test_removing_takes_the_log_and_the_lock_along(workdir: Path) -> None:
    (item,), _ = select_folders(stored_folders(workdir), ["overlay-a"])
    remove(item)
    left = {path.name for path in (workdir / "toolchains").iterdir()}
    assert left == {"flydsl-0.3.0-x", "flydsl-0.3.1-x", "overlay-b", "source-a"}
    assert (workdir / "toolchains" / "flydsl-0.3.0-x" / "file").exists()


def test_what_has_two_names_counts_once_and_links_do_not(tmp_path: Path) -> None:
    made = folder(tmp_path / "a", 100_000)
    alone = size_of(made)
    assert 100_000 <= alone < 200_000
    os.link(made / "file", made / "again")
    (made / "link").symlink_to(made / "file")
    assert alone <= size_of(made) < alone + 50_000
    (made / "more").write_bytes(b"y" * 100_000)
    assert size_of(made) >= alone + 100_000


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536 * 1024, "2 MiB"),
        (1 << 30, "1.0 GiB"),
        (5 << 29, "2.5 GiB"),
        (3 << 40, "3072.0 GiB"),
    ],
)
def test_amounts(size: int, shown: str) -> None:
    assert format_size(size) == shown


def test_a_session_is_busy_while_it_is_open(tmp_path: Path) -> None:
    with open_session(tmp_path, Case(tmp_path / "k.py"), "x = 1\n", []):
        assert [item.busy for item in stored_folders(tmp_path)] == [True]
    assert [item.busy for item in stored_folders(tmp_path)] == [False]
