from __future__ import annotations

from pathlib import Path

import pytest

from flybisect.errors import UserError
from flybisect.toolchain.index import Releases, releases
from flybisect.toolchain.release import release_folder
from tests.toolchain.test_resolve import NOBODY

KNOWN = Releases(("0.1.8", "0.2.0", "0.2.5.dev732", "0.3.0", "0.3.1.dev804", "0.3.1", "0.3.4.1", "0.10.0"))


@pytest.mark.parametrize(
    ("first", "last", "pre", "expected"),
    [
        ("0.2.0", "0.3.1", False, "0.2.0 0.3.0 0.3.1"),
        ("v0.2", "v0.3.1", True, "0.2.0 0.2.5.dev732 0.3.0 0.3.1.dev804 0.3.1"),
        ("0.2.5.dev732", "0.3.0", False, "0.2.5.dev732 0.3.0"),
        ("0.3.4.1", "0.10.0", False, "0.3.4.1 0.10.0"),
    ],
)
def test_ranges(first: str, last: str, pre: bool, expected: str) -> None:
    assert " ".join(KNOWN.between(first, last, pre=pre)) == expected


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("0.3.1", "0.2.0", "wrong way round"),
        ("0.3.1", "v0.3.1", "one and the same"),
        ("0.1.9", "0.3.1", r"no FlyDSL 0\.1\.9 .*0\.1\.8, 0\.2\.0"),
        ("main", "0.3.1", "not a version"),
    ],
)
def test_ranges_that_are_none(first: str, last: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        KNOWN.between(first, last, pre=False)


def test_without_an_index_what_is_at_hand_is_there(tmp_path: Path) -> None:
    for version in ("0.10.0", "0.2.4"):
        release_folder(version, tmp_path).mkdir(parents=True)
    release_folder("0.1.0", tmp_path).with_suffix(".log").write_text("")
    said: list[str] = []
    found = releases(tmp_path, index_url=NOBODY, notify=said.append)
    assert [version for version in found.versions if version in ("0.2.4", "0.10.0")] == ["0.2.4", "0.10.0"]
    assert "0.1.0" not in found.versions
    assert "cannot be read" in said[0] and "only the releases that are installed here" in said[0]


@pytest.mark.release
def test_the_index_knows_releases_and_pre_releases(tmp_path: Path) -> None:
    found = releases(tmp_path).versions
    assert {"0.2.4", "0.3.0", "0.3.1.dev804", "0.5.0"} <= set(found)
