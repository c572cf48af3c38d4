from __future__ import annotations

from pathlib import Path

import pytest

from flybisect.toolchain.interrupted import building_in


def cut_off(build: Path, mark: Path, generator: str) -> None:
    build.mkdir()
    with pytest.raises(KeyboardInterrupt), building_in(build, mark):
        (build / "CMakeCache.txt").write_text(f"CMAKE_GENERATOR:INTERNAL={generator}\n")
        (build / "half.o").touch()
        raise KeyboardInterrupt


def test_a_make_build_that_was_cut_off_starts_anew(tmp_path: Path) -> None:
    build, mark = tmp_path / "build", tmp_path / "mark"
    cut_off(build, mark, "Unix Makefiles")
    with building_in(build, mark):
        assert not build.exists()
    assert not mark.exists()


def test_a_ninja_build_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    build, mark = tmp_path / "build", tmp_path / "mark"
    cut_off(build, mark, "Ninja")
    with building_in(build, mark):
        assert (build / "half.o").exists()


def test_a_build_that_ended_by_itself_is_kept(tmp_path: Path) -> None:
    build, mark = tmp_path / "build", tmp_path / "mark"
    build.mkdir()
    for _ in range(2):
        with building_in(build, mark):
            (build / "whole.o").touch()
    assert (build / "whole.o").exists()
