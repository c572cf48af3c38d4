"""What a trial prints, taken off its pipe at once: its beginning and its end are kept, the rest counted."""

from __future__ import annotations

import os

HEAD = 64 * 1024
TAIL = 64 * 1024
RECORD = 8 * 1024 * 1024
"""Bytes of the end that are kept of a script that records itself (`flybisect.source.instrument`): some 60 for
each expression."""


class Pump:
    """The reading end of a pipe."""

    def __init__(self, handle: int, kept: int = TAIL) -> None:
        """`kept`: bytes of the end that are kept."""
        os.set_blocking(handle, False)
        self.handle = handle
        self._kept = kept
        self.head = b""
        self.tail = b""
        self.dropped = 0
        """Bytes that stood between head and tail."""

    def take(self) -> bool:
        """Read what is there; False at the end of the stream."""
        try:
            data = os.read(self.handle, 1 << 16)
        except BlockingIOError:
            return True
        if not data:
            return False
        room = HEAD - len(self.head)
        self.head += data[:room]
        rest = self.tail + data[room:]
        self.dropped += max(0, len(rest) - self._kept)
        self.tail = rest[-self._kept :]
        return True

    def drain(self) -> None:
        """Read all that is left now, without waiting for more."""
        while True:
            before = self._taken()
            if not self.take() or self._taken() == before:
                return

    def _taken(self) -> int:
        return len(self.head) + len(self.tail) + self.dropped

    def close(self) -> None:
        os.close(self.handle)
