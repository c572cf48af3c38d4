from __future__ import annotations

from pathlib import Path

import pytest

from flybisect.session.parts import Part, forget, keep, kept, read_json


def test_what_is_kept_is_read_back_until_it_is_forgotten(tmp_path: Path) -> None:
    assert kept(tmp_path, Part.CURVE) is None
    keep(tmp_path, Part.CURVE, [[0, 9], [2, 7]])
    keep(tmp_path, Part.SHOWN, {"text": "\udcff é"})
    assert kept(tmp_path, Part.CURVE) == [[0, 9], [2, 7]]
    assert kept(tmp_path, Part.SHOWN) == {"text": "\udcff é"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curve.json", "shown.json"]
    forget(tmp_path, Part.CURVE)
    forget(tmp_path, Part.CURVE)
    assert kept(tmp_path, Part.CURVE) is None
    assert kept(tmp_path, Part.SHOWN) is not None


def test_every_part_has_a_file_of_its_own() -> None:
    assert len({part.value for part in Part}) == len(Part.__members__)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[" * 100_000, b"[1] [2]"])
def test_what_is_damaged_reads_as_nothing(content: bytes, tmp_path: Path) -> None:
    (tmp_path / Part.STEPS.value).write_bytes(content)
    assert kept(tmp_path, Part.STEPS) is None


def test_a_folder_in_its_place_reads_as_nothing(tmp_path: Path) -> None:
    assert read_json(tmp_path) is None
