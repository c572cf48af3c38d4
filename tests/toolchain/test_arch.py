from __future__ import annotations

from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.toolchain.arch import KNOWN, USUAL, checked, choose, installed_gpu, named_in


def nodes(root: Path, *versions: int) -> Path:
    """A KFD topology as the Linux driver lays it out."""
    for number, version in enumerate(versions):
        node = root / str(number)
        node.mkdir(parents=True)
        (node / "properties").write_text(f"cpu_cores_count 0\ngfx_target_version {version}\nvendor_id 4098\n")
    return root


@pytest.mark.parametrize(
    ("version", "name"),
    [(90402, "gfx942"), (90010, "gfx90a"), (90500, "gfx950"), (120001, "gfx1201"), (110003, "gfx1103")],
)
def test_gpu_of_the_topology(tmp_path: Path, version: int, name: str) -> None:
    assert installed_gpu(nodes(tmp_path, 0, version)) == name


def test_no_gpu(tmp_path: Path) -> None:
    assert installed_gpu(tmp_path / "absent") is None
    assert installed_gpu(nodes(tmp_path, 0, 0)) is None


def test_first_gpu_of_several(tmp_path: Path) -> None:
    assert installed_gpu(nodes(tmp_path, 0, 90500, 90402)) == "gfx950"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ARCH = 'gfx950'  # gfx950", "gfx950"),
        ("import swa_gfx942", "gfx942"),
        ("gfx942 or gfx950", None),
        ("arch.startswith('gfx9')", None),
        ("gfx9500 gfx000", None),
        ("", None),
    ],
)
def test_named_in(text: str, name: str | None) -> None:
    assert named_in(text) == name


def test_order_of_the_choice(tmp_path: Path) -> None:
    gpu, none = nodes(tmp_path / "gpu", 90402), tmp_path / "none"
    text = "compile_for('gfx950')"
    assert choose("GFX90A:sramecc+", "gfx1201", text, gpu).name == "gfx90a"
    assert choose(None, "gfx1201", text, gpu).name == "gfx1201"
    assert choose(None, None, text, gpu).name == "gfx942"
    found = choose(None, None, text, none)
    assert (found.name, found.origin) == ("gfx950", "the script's text")


def test_nothing_says_the_arch(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        choose(None, None, "gfx942 gfx950", tmp_path)
    assert all(name in str(error.value) for name in ("--arch", *USUAL))


def test_unknown_arch_lists_the_known(tmp_path: Path) -> None:
    for option, case in (("gfx9", None), (None, "sm_90")):
        with pytest.raises(UserError) as error:
            choose(option, case, "gfx942", tmp_path)
        assert all(name in str(error.value) for name in KNOWN)
    assert checked("gfx942") == "gfx942"
