"""Damage, of the kinds that disks, editors and people do."""

from __future__ import annotations

import random

TOKENS = (
    b"\0",
    b"\xff\xfe",
    b"\xe2\x80\xa8",
    b"\r",
    b"\t",
    b"&a [*a, *a]",
    b"!!python/object/apply:os.system ['true']",
    b"!!binary aGk=",
    b"? [1, 2]\n: {3: 4}\n",
    b"<<: *x",
    b"[" * 3000,
    b"{a: " * 2000,
    b"9" * 5000,
    b"1e999",
    b".nan",
    b"-1",
    b"null",
    b"true",
    b"''",
    b"2026-13-45",
    b"(?P<a>",
    b"(a+)+$",
    b"%(x)s {0.__class__} {",
    b'\'"""',
    b"\\N{x}",
    b"\xed\xa0\x80",
    b"lambda: (yield)",
    b"\n    ",
    b"def f(:",
    b"import os, sys\n",
    b"f'{x!r:{y}}'",
    b"..",
    b"/",
    b"~",
)


def damaged(data: bytes, rolls: random.Random) -> bytes:
    """`data` after one to three accidents."""
    for _ in range(rolls.randint(1, 3)):
        data = rolls.choice(_ACCIDENTS)(data, rolls)
    return data


def _truncated(data: bytes, rolls: random.Random) -> bytes:
    return data[: rolls.randrange(len(data) + 1)]


def _flipped(data: bytes, rolls: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(rolls.randint(1, 8)):
        if found:
            found[rolls.randrange(len(found))] ^= 1 << rolls.randrange(8)
    return bytes(found)


def _inserted(data: bytes, rolls: random.Random) -> bytes:
    at = rolls.randrange(len(data) + 1)
    return data[:at] + rolls.choice(TOKENS) + data[at:]


def _value_replaced(data: bytes, rolls: random.Random) -> bytes:
    """What stands behind a colon or an equals sign."""
    lines = data.split(b"\n")
    at = rolls.randrange(len(lines))
    for sign in (b": ", b" = ", b"="):
        head, found, _ = lines[at].partition(sign)
        if found:
            lines[at] = head + sign + rolls.choice(TOKENS)
            break
    return b"\n".join(lines)


def _line_lost(data: bytes, rolls: random.Random) -> bytes:
    lines = data.split(b"\n")
    del lines[rolls.randrange(len(lines))]
    return b"\n".join(lines)


def _line_moved(data: bytes, rolls: random.Random) -> bytes:
    lines = data.split(b"\n")
    line = lines.pop(rolls.randrange(len(lines)))
    lines.insert(rolls.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def _zeroed(data: bytes, rolls: random.Random) -> bytes:
    """A block that never reached the disk."""
    if not data:
        return data
    at = rolls.randrange(len(data))
    length = min(len(data) - at, rolls.choice((1, 16, 512, 4096)))
    return data[:at] + bytes(length) + data[at + length :]


def _doubled(data: bytes, rolls: random.Random) -> bytes:
    at = rolls.randrange(len(data) + 1)
    return data[:at] + data[at // 2 : at] + data[at:]


_ACCIDENTS = (_truncated, _flipped, _inserted, _value_replaced, _line_lost, _line_moved, _zeroed, _doubled)
