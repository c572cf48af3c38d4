"""When two FlyDSLs are the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flybisect.toolchain.fingerprint import APART, READ_WHOLE, of_package

LIBRARY = "flydsl/libFly.so"


def installed(site: Path, at: float, *, content: bytes = b"x", record: bool = True) -> Path:
    """A package with a large library, as a wheel leaves it, at a time."""
    (site / "flydsl").mkdir(parents=True)
    (site / "flydsl" / "__init__.py").write_text("x = 1\n")
    library = site / LIBRARY
    library.write_bytes(content * (READ_WHOLE + 1))
    written = [library]
    if record:
        info = site / "flydsl-1.dist-info"
        info.mkdir()
        rows = [f"{LIBRARY},sha256={content.hex()},{library.stat().st_size}", "flydsl-1.dist-info/RECORD,,"]
        (info / "RECORD").write_text("\n".join(rows) + "\n")
        written.append(info / "RECORD")
    for path in written:
        os.utime(path, (at, at))
    return site


def test_the_same_wheel_is_the_same_wherever_and_whenever_it_was_installed(tmp_path: Path) -> None:
    one, other = installed(tmp_path / "a", 1e9), installed(tmp_path / "b", 1.5e9)
    assert of_package(one) == of_package(other)
    assert of_package(installed(tmp_path / "c", 1e9, content=b"y")) != of_package(one)


@pytest.mark.parametrize("later", [APART + 1, -APART - 1])
def test_a_library_of_another_time_is_another(tmp_path: Path, later: float) -> None:
    site = installed(tmp_path, 1e9)
    before = of_package(site)
    os.utime(site / LIBRARY, (1e9 + later, 1e9 + later))
    touched = of_package(site)
    os.utime(site / LIBRARY, (1e9, 1e9))
    assert touched != before == of_package(site)
    with (site / LIBRARY).open("ab") as library:
        library.write(b"more")
    os.utime(site / LIBRARY, (1e9, 1e9))
    assert of_package(site) != before


def test_without_a_record_the_time_counts(tmp_path: Path) -> None:
    one = installed(tmp_path / "a", 1e9, record=False)
    other = installed(tmp_path / "b", 1.5e9, record=False)
    assert of_package(one) != of_package(other)


def test_a_damaged_record_says_nothing(tmp_path: Path) -> None:
    site = installed(tmp_path, 1e9)
    record = site / "flydsl-1.dist-info" / "RECORD"
    record.write_bytes(b"\xff\xfe\x00,,\n")
    os.utime(record, (1e9, 1e9))
    assert of_package(site) == of_package(site)
