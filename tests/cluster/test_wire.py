from __future__ import annotations

import zlib
from pathlib import Path

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.cluster import folders, wire
from flybisect.errors import UserError
from flybisect.observation import Observation, Outcome, Probe, Stage, Want
from flybisect.toolchain.model import Exactness, Toolchain

TOOLCHAIN = Toolchain("0.3.0", "release", "key", "0.3.0", Path("/bin/python"), (Path("/site"),))


@given(
    st.builds(
        Probe,
        source=st.text() | st.just("x = '\udc80'"),
        name=st.just("kernel.py"),
        arch=st.just("gfx942"),
        argv=st.lists(st.text()).map(tuple),
        env=st.dictionaries(st.text(), st.text()).map(lambda found: tuple(sorted(found.items()))),
        folder=st.none() | st.just(Path("/cases/one")),
        wants=st.frozensets(st.sampled_from(list(Want))),
        timeout=st.floats(0.1, 1e6),
        memory=st.integers(64, 1 << 24),
        stage=st.none() | st.text(),
        command=st.none() | st.text(),
        anew=st.booleans(),
    ),
    st.sampled_from(list(Exactness)),
    st.booleans(),
)
def test_what_is_asked_crosses_whole(probe: Probe, exactness: Exactness, cold: bool) -> None:
    toolchain = Toolchain(
        "c", "overlay", "k", "0.5.0", Path("/py"), (Path("/a"), Path("/b")), exactness, Path("/rocm")
    )
    asked = wire.TrialRequest(probe, toolchain, cold, None)
    assert wire.unpack_request(wire.pack_request(asked)) == asked


def test_replies_cross_whole() -> None:
    seen = Observation(Outcome.EXCEPTION, Stage.PASSES, "gfx942", "0.5.0", stderr="e\udc80" * 100)
    for reply in (wire.TrialReply(seen=seen), wire.TrialReply(lacks="folder"), wire.TrialReply(refused="no")):
        assert wire.unpack_reply(wire.pack_reply(reply)) == reply


def test_what_is_too_large_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "LARGEST", 1 << 20)
    with pytest.raises(UserError, match="without --scheduler"):
        wire.pack_request(wire.TrialRequest(Probe("#" * (2 << 20), "k.py", "gfx942"), TOOLCHAIN, False, None))


@pytest.mark.parametrize("data", [{}, {"seen": b"no zlib", "lacks": None, "refused": None}, {"seen": 1}])
def test_what_is_no_reply_is_refused(data: dict[str, object]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, zlib.error)):
        wire.unpack_reply(msgpack.packb(data))


def test_a_folder_crosses_once_under_its_key(tmp_path: Path) -> None:
    case = tmp_path / "case"
    (case / "parts" / "__pycache__").mkdir(parents=True)
    (case / "kernel.py").write_text("import parts.tile\n")
    (case / "parts" / "tile.py").write_bytes(b"\xff\x00")
    (case / "parts" / "__pycache__" / "tile.pyc").write_text("")
    (case / ".git").mkdir()
    (case / "away").symlink_to("/etc")
    packed = folders.pack(case)
    made = folders.unpacked_to(tmp_path / "store", packed)
    assert made == folders.unpacked_to(tmp_path / "store", packed)
    assert made.name == folders.key(packed)
    files = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    assert files == ["kernel.py", "parts/tile.py"]
    assert (made / "parts" / "tile.py").read_bytes() == b"\xff\x00"


def test_a_large_folder_is_not_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "LARGEST", 1000)
    (tmp_path / "weights.bin").write_bytes(bytes(1001))
    with pytest.raises(folders.TooLarge):
        folders.pack(tmp_path)


def test_no_path_leads_out_of_a_shipped_folder(tmp_path: Path) -> None:
    packed = zlib.compress(msgpack.packb({"../outside.py": b""}))
    with pytest.raises(ValueError, match="leads out"):
        folders.unpacked_to(tmp_path / "store", packed)
    assert not list(tmp_path.rglob("outside.py"))
