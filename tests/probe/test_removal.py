from __future__ import annotations

import os
from pathlib import Path

from flybisect.probe.removal import remove


def test_deep_and_odd_folders(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "dangling").symlink_to("nowhere")
    (folder / ".flybisect-0").mkdir()
    (folder / ".flybisect-1").write_text("of that name already")
    closed = folder / "closed"
    closed.mkdir()
    (closed / "file").touch()
    closed.chmod(0)
    here = Path.cwd()
    try:
        os.chdir(folder)
        for _ in range(3000):
            Path("down").mkdir()
            os.chdir("down")
            Path("file").touch()
    finally:
        os.chdir(here)
    remove(folder)
    assert not folder.exists()
    assert (outside / "kept").exists()


def test_what_is_no_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    for name in ("link", "nothing"):
        remove(tmp_path / name)
    assert (tmp_path / "folder").is_dir()
