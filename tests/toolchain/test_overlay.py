from __future__ import annotations

from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.toolchain.model import Exactness, Toolchain
from flybisect.toolchain.overlay import overlay
from tests.toolchain.test_resolve import flydsl_at


def over(natives: Path, workdir: Path, text: str, *, identity: str | None = None) -> Toolchain:
    def write(folder: Path) -> None:
        package = folder / "flydsl"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(text)
        (package / "_mlir").mkdir()  # as a checkout may have it
        (package / "_mlir/stale.py").write_text("")

    return overlay(
        natives,
        "1.2.3",
        write,
        identity or text,
        workdir,
        spec="abc",
        exactness=Exactness.EXACT,
    )


def test_python_of_one_and_natives_of_the_other(tmp_path: Path) -> None:
    natives = flydsl_at(tmp_path / "natives")
    (natives / "flydsl/old.py").write_text("")
    (natives / "flydsl.libs").mkdir()
    made = over(natives, tmp_path / "work", '__version__ = "7"\n')
    (site,) = made.paths
    assert (made.kind, made.version, made.exactness) == ("overlay", "7", Exactness.EXACT)
    assert (site / "flydsl/_mlir").resolve() == (natives / "flydsl/_mlir").resolve()
    assert (site / "flydsl.libs").resolve() == (natives / "flydsl.libs").resolve()
    assert not (site / "flydsl/old.py").exists()
    assert not (site / "flydsl/_mlir/stale.py").exists()


def test_the_key_is_of_both_halves(tmp_path: Path) -> None:
    natives = flydsl_at(tmp_path / "natives")
    keys = [over(natives, tmp_path / "work", f'__version__ = "{n}"\n').key for n in (1, 1, 2)]
    assert keys[0] == keys[1] != keys[2]
    (native,) = (natives / "flydsl/_mlir/_mlir_libs").glob("*.so")
    native.write_bytes(b"\x7fELF other")
    assert over(natives, tmp_path / "work", '__version__ = "1"\n').key != keys[0]


def test_equal_halves_are_the_release_itself(tmp_path: Path) -> None:
    natives = flydsl_at(tmp_path / "natives")
    text = (natives / "flydsl/__init__.py").read_text()
    assert over(natives, tmp_path / "work", text).key == over(natives, tmp_path / "other", text).key


def test_one_whose_release_is_gone_is_made_anew(tmp_path: Path) -> None:
    natives = flydsl_at(tmp_path / "natives")
    (site,) = over(natives, tmp_path / "work", "x = 1\n").paths
    natives.rename(tmp_path / "gone")
    with pytest.raises(UserError, match="no native modules"):
        over(natives, tmp_path / "work", "x = 1\n")
    (tmp_path / "gone").rename(natives)
    assert over(natives, tmp_path / "work", "x = 1\n").paths == (site,)


def test_a_tree_without_the_package_is_refused(tmp_path: Path) -> None:
    natives = flydsl_at(tmp_path / "natives")
    with pytest.raises(UserError, match="no package `flydsl`"):
        overlay(
            natives,
            "1.2.3",
            lambda folder: None,
            "nothing",
            tmp_path / "work",
            spec="abc",
            exactness=Exactness.EXACT,
        )
    assert not list((tmp_path / "work/toolchains").glob("overlay-*"))
