"""`flybisect sessions`, `show` and `clean`, over a working folder as runs leave it."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from flybisect.case.case import Case
from flybisect.session.disk import format_size, size_of
from flybisect.session.session import open_session
from tests.cli.running import Run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two sessions, a release and an overlay on it."""
    root = tmp_path / "workdir"
    for name in ("one", "two"):
        case = Case(tmp_path / f"{name}.py", arch="gfx942", oracle="spills")
        with open_session(root, case, "x = 1\n", ["key"]) as session:
            if name == "two":
                found = {"output": "/x/two.min.py", "statements_before": 9, "statements_after": 4}
                session.save_result({**found, "signature": "spills"})
    release = root / "toolchains" / "flydsl-0.3.0-cp311"
    (release / "flydsl").mkdir(parents=True)
    (release / "flydsl" / "lib.so").write_bytes(b"x" * 300_000)
    overlay = root / "toolchains" / "overlay-0.3.0-aaaa-cp311"
    overlay.mkdir()
    (overlay / "lib.so").symlink_to(release / "flydsl" / "lib.so")
    (root / "toolchains" / "flydsl-0.3.1-cp311").mkdir()
    return root


def test_listing_and_showing(run: Run, root: Path) -> None:
    lines = run("sessions", "--workdir", root).out.splitlines()
    assert len(lines) == 2
    assert any("9 → 4 statements" in line and "reduced" in line for line in lines)
    shown = run("show", "two", "--workdir", root, "--json")
    assert (shown.code, shown.data["state"], shown.data["statements_after"]) == (0, "reduced", 4)
    assert "two.min.py" in run("show", "--workdir", root).out
    many = run("show", "nothing", "--workdir", root)
    assert many.code == 2
    assert run("sessions", "--workdir", root / "none").out == ""


def test_nothing_is_deleted_unasked(run: Run, root: Path) -> None:
    ran = run("clean", "--workdir", root)
    assert ran.code == 2
    assert "--yes" in ran.err
    listed = run("clean", "--dry-run", "--json", "--workdir", root)
    assert len(listed.data["items"]) == 5
    assert listed.data["deleted"] is False
    assert len(list(root.glob("*/*"))) == 5
    assert run("clean", "nothing-like-it", "--yes", "--workdir", root).code == 2


def test_a_release_takes_its_overlays_with_it(run: Run, root: Path) -> None:
    ran = run("clean", "flydsl-0.3.0", "--yes", "--workdir", root)
    assert ran.code == 0, ran.err
    assert [path.name for path in (root / "toolchains").iterdir()] == ["flydsl-0.3.1-cp311"]
    assert len(list((root / "sessions").iterdir())) == 2


def test_a_session_in_use_stays(run: Run, root: Path) -> None:
    (busy,) = (root / "sessions").glob("one-*")
    with (busy / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = run("clean", "--yes", "--workdir", root)
    assert ran.code == 0, ran.err
    assert "in use" in ran.out
    assert [path.name for path in root.glob("*/*")] == [busy.name]


def test_sizes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 50_000)
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    (tmp_path / "c").symlink_to(tmp_path / "a")
    assert 50_000 <= size_of(tmp_path) < 100_000
    assert [format_size(n) for n in (0, 2048, 3 << 20, 5 << 29)] == ["0 B", "2 KiB", "3 MiB", "2.5 GiB"]
