"""Messages between the runner and a worker: a 4-byte length, then JSON. No pickle, bounded size."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

LIMIT = 256 * 1024 * 1024
"""Bytes; a longer message is refused on both sides."""

_LENGTH = struct.Struct("!I")


class WireError(Exception):
    """The other side sent something that is no message."""


def send(sock: socket.socket, message: dict[str, Any]) -> None:
    """Raises WireError when the message is too long, OSError when the other side is gone."""
    body = json.dumps(message).encode("utf-8", "surrogatepass")
    if len(body) > LIMIT:
        raise WireError(f"message of {len(body)} bytes")
    sock.sendall(_LENGTH.pack(len(body)) + body)


def receive(sock: socket.socket) -> dict[str, Any] | None:
    """The next message, or None at the end of the stream.

    Raises WireError on a damaged message, OSError (TimeoutError included) from the socket.
    """
    head = _exactly(sock, _LENGTH.size)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > LIMIT:
        raise WireError(f"message of {length} bytes")
    body = _exactly(sock, length)
    if body is None:
        raise WireError("message cut short")
    try:
        message = json.loads(body.decode("utf-8", "surrogatepass"))
    except ValueError as error:
        raise WireError(f"not JSON: {error}") from error
    if not isinstance(message, dict):
        raise WireError("not an object")
    return message


def _exactly(sock: socket.socket, count: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < count:
        piece = sock.recv(min(count - len(parts), 1 << 20))
        if not piece:
            return None
        parts += piece
    return bytes(parts)
