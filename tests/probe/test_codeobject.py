from __future__ import annotations

import struct

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.probe.codeobject import kernels
from flybisect.probe.occupancy import occupancy

KERNEL = {
    ".name": "mm_0",
    ".vgpr_count": 256,
    ".agpr_count": 0,
    ".sgpr_count": 76,
    ".vgpr_spill_count": 44,
    ".sgpr_spill_count": 0,
    ".private_segment_fixed_size": 96,
    ".group_segment_fixed_size": 65536,
    ".max_flat_workgroup_size": 512,
    ".wavefront_size": 64,
}


def code_object(entries: list[object]) -> bytes:
    """A file with an ELF header, one note segment, and in it another note before the metadata."""
    body: bytes = msgpack.packb({"amdhsa.version": [1, 2], "amdhsa.kernels": entries})
    note = struct.pack("<III", 4, 4, 1) + b"GNU\0" + b"\1\2\3\4"
    note += struct.pack("<III", 7, len(body), 32) + b"AMDGPU\0\0" + body + b"\0" * (-len(body) % 4)
    ident = b"\x7fELF\x02\x01\x01\x40" + bytes(8)
    header = struct.pack("<16sHHIQQQIHHHHHH", ident, 3, 224, 1, 0, 64, 0, 0x54C, 64, 56, 1, 64, 0, 0)
    program = struct.pack("<IIQQQQQQ", 4, 4, 120, 0, 0, len(note), len(note), 4)
    return header + program + note


def test_reads_the_metadata() -> None:
    (kernel,) = kernels(code_object([KERNEL]), "gfx950")
    assert (kernel.name, kernel.vgprs, kernel.sgprs) == ("mm_0", 256, 76)
    assert (kernel.vgpr_spills, kernel.scratch_bytes, kernel.lds_bytes) == (44, 96, 65536)
    assert (kernel.wavefront, kernel.workgroup, kernel.occupancy) == (64, 512, 2)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x7fELF",
        b"no ELF at all" * 20,
        code_object([{**KERNEL, ".vgpr_count": -1}]),
        code_object([{**KERNEL, ".vgpr_count": "many"}]),
        code_object([{}]),
        code_object([3]),
        code_object([KERNEL])[:-30],
    ],
)
def test_damage_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        kernels(data, "gfx950")


def test_offsets_that_no_buffer_has_are_a_value_error() -> None:
    data = code_object([KERNEL])
    for at in range(24, len(data) - 8):
        try:
            kernels(data[:at] + b"\xff" * 8 + data[at + 8 :], "gfx950")
        except ValueError:
            pass


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=8), st.integers(0, 500))
def test_any_damage_is_a_value_error_or_harmless(changes: list[tuple[int, int]], length: int) -> None:
    data = bytearray(code_object([KERNEL, KERNEL])[: length or None])
    for at, value in changes:
        if at < len(data):
            data[at] = value
    try:
        kernels(bytes(data), "gfx950")
    except ValueError:
        pass


@pytest.mark.parametrize(
    ("arch", "vgprs", "sgprs", "lds", "workgroup", "wavefront", "waves"),
    [
        ("gfx942", 0, 8, 0, 64, 64, 8),
        ("gfx942", 64, 8, 0, 64, 64, 8),
        ("gfx942", 65, 8, 0, 64, 64, 7),
        ("gfx942", 128, 8, 0, 64, 64, 4),
        ("gfx942", 129, 8, 0, 64, 64, 3),
        ("gfx942", 256, 8, 0, 64, 64, 2),
        ("gfx942", 512, 8, 0, 64, 64, 1),
        ("gfx942", 24, 8, 65536, 256, 64, 1),
        ("gfx942", 24, 8, 16384, 256, 64, 4),
        ("gfx950", 24, 8, 65536, 256, 64, 2),
        ("gfx942", 24, 8, 98304, 64, 64, 0),
        ("gfx950", 24, 8, 98304, 64, 64, 1),
        ("gfx90a", 128, 8, 0, 64, 64, 4),
        ("gfx908", 64, 8, 0, 64, 64, 4),
        ("gfx1100", 96, 8, 0, 64, 32, 16),
        ("gfx1030", 128, 8, 0, 64, 32, 8),
        ("gfx942:sramecc+:xnack-", 128, 8, 0, 64, 64, 4),
        ("gfx1", 128, 8, 0, 64, 64, 0),
        ("", 128, 8, 0, 64, 64, 0),
    ],
)
def test_occupancy(
    arch: str, vgprs: int, sgprs: int, lds: int, workgroup: int, wavefront: int, waves: int
) -> None:
    found = occupancy(arch, vgprs=vgprs, sgprs=sgprs, lds=lds, workgroup=workgroup, wavefront=wavefront)
    assert found == waves


@given(st.integers(0, 512), st.integers(0, 512))
def test_more_registers_never_raise_occupancy(few: int, many: int) -> None:
    few, many = sorted((few, many))

    def waves(vgprs: int) -> int:
        return occupancy("gfx950", vgprs=vgprs, sgprs=8, lds=0, workgroup=64, wavefront=64)

    assert waves(few) >= waves(many)
