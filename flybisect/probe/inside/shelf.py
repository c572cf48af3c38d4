"""What compiles ended in, by what decides that: bounded, the same on the runner's and the worker's side."""

from __future__ import annotations

import base64
import json
import zlib
from collections import OrderedDict
from typing import Any

ROOM = 48 * 1024 * 1024
"""Bytes of packed entries that are kept; those that came first go first."""
LONGEST = 2 * 1024 * 1024
"""Bytes of one entry, packed; a longer one is not kept."""
_LONGEST_PLAIN = 64 * 1024 * 1024


class Shelf:
    """Packed entries by their key."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._held: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    def put(self, key: str, packed: bytes) -> None:
        """In place of what was kept under that key."""
        self._bytes += len(packed) - len(self._held.pop(key, b""))
        self._held[key] = packed
        while self._bytes > self._room:
            _, dropped = self._held.popitem(last=False)
            self._bytes -= len(dropped)

    def raw(self, key: str) -> bytes | None:
        """Packed."""
        return self._held.get(key)

    def get(self, key: str) -> dict[str, Any] | None:
        held = self._held.get(key)
        return None if held is None else unpacked(held)


def packed(entry: dict[str, Any]) -> bytes:
    return zlib.compress(json.dumps(entry, sort_keys=True).encode("utf-8", "surrogatepass"), 3)


def unpacked(data: bytes) -> dict[str, Any] | None:
    """None for what is no entry."""
    unpacker = zlib.decompressobj()
    try:
        entry = json.loads(unpacker.decompress(data, _LONGEST_PLAIN).decode("utf-8", "surrogatepass"))
    except (zlib.error, ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and _is_whole(entry) else None


def _is_whole(entry: dict[str, Any]) -> bool:
    """Whether what it has is of the types that it was kept with."""
    kinds: dict[str, type] = {"end": str, "module": str, "said": str, "facts": list, "error": dict}
    facts = entry.get("facts", [])
    return (
        "end" in entry
        and all(isinstance(entry[name], kind) for name, kind in kinds.items() if name in entry)
        and all(isinstance(fact, dict) and isinstance(fact.get("kind"), str) for fact in facts)
    )


def to_wire(items: list[tuple[str, bytes]]) -> list[list[str]]:
    return [[key, base64.b64encode(packed).decode("ascii")] for key, packed in items]


def from_wire(items: list[list[str]]) -> list[tuple[str, bytes]]:
    return [(key, base64.b64decode(data)) for key, data in items]
