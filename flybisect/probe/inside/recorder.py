"""What a trial learns, written down at once: a trial can end at any moment, in any way."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import time
from typing import Any

_HIGH = 700
"""First file descriptor tried for the record, out of the way of scripts that close low ones."""
MOST = 200_000
"""Facts of one trial; a long script's coverage has some thousands."""


class Recorder:
    """Appends facts, one JSON object a line, to an open file."""

    def __init__(self, handle: int) -> None:
        self._handle = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, _HIGH)
        self._stage = ""

    def fact(self, kind: str, **content: Any) -> None:
        line = json.dumps({"kind": kind, **content}, default=str).encode("utf-8", "replace") + b"\n"
        try:
            while line:
                line = line[os.write(self._handle, line) :]
        except OSError:
            # The script closed the descriptor, or filled the record: what is there stays.
            return

    def stage(self, name: str) -> None:
        if name != self._stage:
            self._stage = name
            self.fact("stage", stage=name, at=time.monotonic())

    def left(self) -> None:
        """A compile raised: what comes next is the script's own, whichever stage the compile was in."""
        self._stage = ""
        self.fact("left")

    def binary(self, kind: str, data: bytes, **content: Any) -> None:
        self.fact(kind, data=base64.b64encode(data).decode("ascii"), **content)


def read(handle: int, limit: int) -> list[dict[str, Any]]:
    """The facts in a record, in order; a last line that was cut off is left out.

    Reads at most `limit` bytes and `MOST` lines: the script can write there too.
    """
    data = bytearray()
    while len(data) < limit:
        piece = os.pread(handle, 1 << 20, len(data))
        if not piece:
            break
        data += piece
    facts = []
    for line in bytes(data).split(b"\n", MOST)[:-1]:
        try:
            fact = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(fact, dict):
            facts.append(fact)
    return facts
