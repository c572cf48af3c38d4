"""What a trial reads beside its script is in its observation, by content."""

from __future__ import annotations

import hashlib
import os
import py_compile
from pathlib import Path

import pytest

from flybisect.probe import files_read
from tests.probe.conftest import Run

READS = """
    import json
    from pathlib import Path
    import numpy as np
    import torch
    import tables.sizes

    assert tables.sizes.SIZE == json.load(open("sub/shape.json")) == 64
    np.load("weights.npy")
    torch.load(f"{sys.argv[1]}/state.pt")
    Path(__file__).with_name("words.txt").read_text()
    if Path("absent.txt").exists():
        raise ValueError
    try:
        open("late.json")
    except OSError:
        pass
    Path("made.txt").write_text("own")
    Path("made.txt").read_text()
""".replace("import json", "import json, sys", 1)


def test_modules_and_data(run: Run, tmp_path: Path) -> None:
    import numpy as np
    import torch

    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for folder in (project / "sub", project / "tables", elsewhere):
        folder.mkdir(parents=True)
    (project / "tables" / "sizes.py").write_text("SIZE = 64\n")
    py_compile.compile(str(project / "tables" / "sizes.py"))
    (project / "sub" / "shape.json").write_text("64")
    (project / "words.txt").write_text("words")
    (project / "not_read.txt").write_text("words")
    np.save(project / "weights.npy", np.zeros(3))
    torch.save(torch.zeros(3), elsewhere / "state.pt")
    seen = run(READS, str(elsewhere), folder=project)
    assert seen.exception is None
    read = dict(seen.files)
    inside = {"late.json", "sub/shape.json", "tables/sizes.py", "weights.npy", "words.txt"}
    assert read.keys() == inside | {str(elsewhere / "state.pt")}
    assert read["words.txt"] == hashlib.sha256(b"words").hexdigest()
    assert read["late.json"] == files_read.MISSING
    assert files_read.unchanged(project, seen.files)


def test_a_command_may_read_whatever_lies_there(run: Run, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("x = 1\n")
    seen = run("import helper", folder=tmp_path, command='python "$1"')
    assert [name for name, _ in seen.files] == ["helper.py"]


def test_content_decides(tmp_path: Path) -> None:
    file, other, pipe = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "pipe"
    file.write_text("1")
    os.mkfifo(pipe)
    read = files_read.digests(tmp_path, [str(file), str(other), str(pipe), "/dev/zero", "a\0b"])
    assert dict(read)["pipe"] == dict(read)["/dev/zero"] == dict(read)["a\0b"] == files_read.MISSING
    assert files_read.unchanged(tmp_path, read)
    os.utime(file, (1, 1))
    assert files_read.unchanged(tmp_path, read)
    file.write_text("2")
    assert not files_read.unchanged(tmp_path, read)
    file.write_text("1")
    assert files_read.unchanged(tmp_path, read)
    other.write_text("")
    assert not files_read.unchanged(tmp_path, read)


def test_names_hold_where_the_folder_was_shipped_to(tmp_path: Path) -> None:
    one, shipped = tmp_path / "one", tmp_path / "shipped"
    for folder in (one, shipped):
        folder.mkdir()
        (folder / "a.json").write_text("1")
    assert files_read.unchanged(one, files_read.digests(shipped, [str(shipped / "a.json")]))


def test_of_large_files_size_and_time_stand_for_the_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_read, "ROOM", 10)
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("12345")
    read = files_read.digests(tmp_path, [str(tmp_path / name) for name in ("a", "b", "c")])
    assert [len(digest) == 64 for _, digest in read] == [True, True, False]
    assert files_read.unchanged(tmp_path, read)
    os.utime(tmp_path / "a", (1, 1))
    assert files_read.unchanged(tmp_path, read)
    os.utime(tmp_path / "c", (1, 1))
    assert not files_read.unchanged(tmp_path, read)
