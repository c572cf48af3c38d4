"""What crosses to a worker and back: msgpack of texts, numbers and bytes, of bounded size.

Dask itself pickles what it is handed, and runs what it is sent: scheduler and workers are the user's own.
What a *script* can put into these messages is a text, so nothing that a trial says is ever unpickled.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgpack

from flybisect import __version__
from flybisect.errors import UserError
from flybisect.observation import Observation, Probe, Want
from flybisect.toolchain.model import Exactness, Toolchain

LARGEST = 64 << 20
"""Bytes of one message."""


@dataclass(frozen=True)
class TrialRequest:
    """A trial, as a worker is asked for it."""

    probe: Probe
    toolchain: Toolchain
    cold: bool
    folder: str | None
    """Key of the files beside the script; None where they are not shipped."""
    version: str = __version__


@dataclass(frozen=True)
class TrialReply:
    """One of the three is set."""

    seen: Observation | None = None
    lacks: str | None = None
    """Key of a folder that the worker does not have."""
    refused: str | None = None
    """Why the worker can't, in one sentence."""


def pack_request(asked: TrialRequest) -> bytes:
    """Raises UserError where it is too large."""
    probe, toolchain = asked.probe, asked.toolchain
    data = {
        "version": asked.version,
        "cold": asked.cold,
        "folder": asked.folder,
        "probe": {
            "source": probe.source,
            "name": probe.name,
            "arch": probe.arch,
            "argv": list(probe.argv),
            "env": [list(pair) for pair in probe.env],
            "folder": _text(probe.folder),
            "wants": sorted(want.value for want in probe.wants),
            "timeout": probe.timeout,
            "memory": probe.memory,
            "stage": probe.stage,
            "command": probe.command,
            "anew": probe.anew,
        },
        "toolchain": {
            "spec": toolchain.spec,
            "kind": toolchain.kind,
            "key": toolchain.key,
            "version": toolchain.version,
            "python": str(toolchain.python),
            "paths": [str(path) for path in toolchain.paths],
            "exactness": toolchain.exactness.value,
            "rocm": _text(toolchain.rocm),
        },
    }
    return _packed(data)


def unpack_request(packed: bytes) -> TrialRequest:
    data = _unpacked(packed)
    probe, toolchain = dict(data["probe"]), dict(data["toolchain"])
    probe["argv"] = tuple(probe["argv"])
    probe["env"] = tuple((name, value) for name, value in probe["env"])
    probe["folder"] = _path(probe["folder"])
    probe["wants"] = frozenset(Want(value) for value in probe["wants"])
    toolchain["python"] = Path(toolchain["python"])
    toolchain["paths"] = tuple(Path(path) for path in toolchain["paths"])
    toolchain["exactness"] = Exactness(toolchain["exactness"])
    toolchain["rocm"] = _path(toolchain["rocm"])
    return TrialRequest(Probe(**probe), Toolchain(**toolchain), data["cold"], data["folder"], data["version"])


def pack_reply(reply: TrialReply) -> bytes:
    seen = None if reply.seen is None else zlib.compress(reply.seen.to_json().encode(), 3)
    return _packed({"seen": seen, "lacks": reply.lacks, "refused": reply.refused})


def unpack_reply(packed: bytes) -> TrialReply:
    """Raises ValueError where it is none."""
    data = _unpacked(packed)
    seen = None
    if data["seen"] is not None:
        opened = zlib.decompressobj()
        text = opened.decompress(data["seen"], LARGEST)
        if opened.unconsumed_tail:
            raise ValueError("an observation that is too large")
        seen = Observation.from_json(text.decode())
    return TrialReply(seen, data["lacks"], data["refused"])


def _packed(data: dict[str, Any]) -> bytes:
    packed: bytes = msgpack.packb(data, unicode_errors="surrogatepass")
    if len(packed) > LARGEST:
        raise UserError(
            f"a trial has {len(packed) >> 20} MiB to send, and {LARGEST >> 20} MiB is the most that is sent "
            "to a cluster; run it without --scheduler"
        )
    return packed


def _unpacked(packed: bytes) -> dict[str, Any]:
    if len(packed) > LARGEST:
        raise ValueError("a message that is too large")
    found: dict[str, Any] = msgpack.unpackb(packed, unicode_errors="surrogatepass")
    return found


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path.absolute())


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)
