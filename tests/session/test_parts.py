from __future__ import annotations

from pathlib import Path

import pytest

from flybisect.session.parts import Part, delete_part, load_part, read_json, save_part


def test_what_is_kept_is_read_back_until_it_is_forgotten(tmp_path: Path) -> None:
    assert load_part(tmp_path, Part.CURVE) is None
    save_part(tmp_path, Part.CURVE, [[0, 9], [2, 7]])
    save_part(tmp_path, Part.SHOWN, {"text": "\udcff é"})
    assert load_part(tmp_path, Part.CURVE) == [[0, 9], [2, 7]]
    assert load_part(tmp_path, Part.SHOWN) == {"text": "\udcff é"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curve.json", "shown.json"]
    delete_part(tmp_path, Part.CURVE)
    delete_part(tmp_path, Part.CURVE)
    assert load_part(tmp_path, Part.CURVE) is None
    assert load_part(tmp_path, Part.SHOWN) is not None


def test_every_part_has_a_file_of_its_own() -> None:
    assert len({part.value for part in Part}) == len(Part.__members__)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[" * 100_000, b"[1] [2]"])
def test_what_is_damaged_reads_as_nothing(content: bytes, tmp_path: Path) -> None:
    (tmp_path / Part.STEPS.value).write_bytes(content)
    assert load_part(tmp_path, Part.STEPS) is None


def test_a_folder_in_its_place_reads_as_nothing(tmp_path: Path) -> None:
    assert read_json(tmp_path) is None
