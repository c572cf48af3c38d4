"""Kernel metrics out of an AMDGPU code object.

An ELF file's note `AMDGPU`, type 32 (`NT_AMDGPU_METADATA`), holds MessagePack: LLVM's "User Guide for
AMDGPU Backend", "Code Object V3 and Above Metadata". The loader reads the same, so the figures are those
of the code that would run.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import msgpack

from flybisect.observation import Kernel
from flybisect.probe.occupancy import occupancy

NT_AMDGPU_METADATA = 32
_PT_NOTE = 4
_EM_AMDGPU = 224
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_PROGRAM = struct.Struct("<IIQQQQQQ")
_NOTE = struct.Struct("<III")


def kernels(data: bytes, arch: str) -> tuple[Kernel, ...]:
    """The kernels of a 64-bit little-endian ELF code object, in the metadata's order.

    Raises ValueError where the bytes are no such object, or damaged.
    """
    try:
        wanted = (b"AMDGPU", NT_AMDGPU_METADATA)
        notes = [body for name, kind, body in _notes(data) if (name, kind) == wanted]
        if not notes:
            raise ValueError("no AMDGPU metadata note")
        content = msgpack.unpackb(notes[0], strict_map_key=False)
        return tuple(_kernel(entry, arch) for entry in content["amdhsa.kernels"])
    except ValueError:
        raise
    except (struct.error, msgpack.exceptions.UnpackException, *_DAMAGE) as error:
        raise ValueError(f"damaged code object: {error}") from error


_DAMAGE = (KeyError, TypeError, AttributeError, OverflowError)
"""What reading wrong types and offsets that no buffer has ends in."""


def _notes(data: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    """Name, type and body of each note in the program's note segments."""
    header = _HEADER.unpack_from(data)
    identity, _, machine = header[0], header[1], header[2]
    if identity[:6] != b"\x7fELF\x02\x01" or machine != _EM_AMDGPU:
        raise ValueError("not a 64-bit AMDGPU ELF file")
    start, size, count = header[5], header[9], header[10]
    for index in range(count):
        kind, _, offset, _, _, length, _, align = _PROGRAM.unpack_from(data, start + index * size)
        if kind == _PT_NOTE:
            yield from _segment(data[offset : offset + length], 8 if align == 8 else 4)


def _segment(data: bytes, align: int) -> Iterator[tuple[bytes, int, bytes]]:
    at = 0
    while at + _NOTE.size <= len(data):
        name_size, body_size, kind = _NOTE.unpack_from(data, at)
        name_at = at + _NOTE.size
        body_at = name_at + -(-name_size // align) * align
        body = data[body_at : body_at + body_size]
        if len(body) < body_size:
            raise ValueError("a note is cut short")
        yield data[name_at : name_at + name_size].rstrip(b"\0"), kind, body
        at = body_at + -(-body_size // align) * align


def _kernel(entry: dict[str, Any], arch: str) -> Kernel:
    def figure(key: str, default: int = 0) -> int:
        value = entry.get(key, default)
        if not isinstance(value, int) or value < 0:
            raise ValueError(f"{key} is {value!r}")
        return value

    wavefront = figure(".wavefront_size", 64)
    vgprs, sgprs = figure(".vgpr_count"), figure(".sgpr_count")
    lds, workgroup = figure(".group_segment_fixed_size"), figure(".max_flat_workgroup_size")
    return Kernel(
        name=str(entry[".name"]),
        vgprs=vgprs,
        agprs=figure(".agpr_count"),
        sgprs=sgprs,
        vgpr_spills=figure(".vgpr_spill_count"),
        sgpr_spills=figure(".sgpr_spill_count"),
        scratch_bytes=figure(".private_segment_fixed_size"),
        lds_bytes=lds,
        wavefront=wavefront,
        workgroup=workgroup,
        occupancy=occupancy(
            arch, vgprs=vgprs, sgprs=sgprs, lds=lds, workgroup=workgroup, wavefront=wavefront
        ),
    )
