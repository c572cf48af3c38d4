"""What compiles ended in, taken from trials and given to later ones of the same toolchain.

The worker's side is `flybisect.probe.inside.known`: what is a compile's key, and how its end is told again.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from flybisect.observation import Observation, Outcome, Probe, Want
from flybisect.probe.facts import Fact
from flybisect.probe.inside.known import BEGIN, END, FATAL, FOLDER, TOLD, mark
from flybisect.probe.inside.shelf import LONGEST, Shelf, packed, unpacked

PackedEntry = tuple[str, bytes]
"""A key, and what is kept under it."""

UNSTEADY = {"end": "unsteady"}
"""Of what did not end the same twice: it is compiled every time."""

_NOT_THE_COMPILERS = re.compile(
    r"bad_alloc|out of memory|Cannot allocate memory|Buffer allocation failed|lld invocation failed"
    r"|No space left|Too many open files|temporary file"
)
"""Said where the machine had no more to give, which another time it may have."""


@runtime_checkable
class CompileStore(Protocol):
    """Where entries outlive the process; `flybisect.session.journal.Journal` is one."""

    def kept(self, toolchain_key: str) -> Iterable[PackedEntry]:
        """In the order in which they were kept."""
        ...

    def keep(self, toolchain_key: str, entry: PackedEntry) -> None: ...


def may_replay(probe: Probe) -> bool:
    """Whether the probe may be answered by what is remembered."""
    return not probe.anew and probe.command is None and Want.OUTPUT not in probe.wants


@dataclass
class _ToolchainCache:
    """Of one toolchain."""

    shelf: Shelf = field(default_factory=Shelf)
    log: list[str] = field(default_factory=list)
    """Keys in the order of what was put under them; a worker has seen a first part of it."""

    def put(self, key: str, entry: bytes) -> None:
        self.shelf.put(key, entry)
        self.log.append(key)

    def since(self, told: int) -> list[PackedEntry]:
        keys = dict.fromkeys(self.log[told:])
        return [(key, found) for key in keys if (found := self.shelf.raw(key)) is not None]


class CompileCache:
    """Of all toolchains. Thread-safe."""

    def __init__(self, keeper: CompileStore) -> None:
        self._keeper = keeper
        self._lock = threading.Lock()
        self._books: dict[str, _ToolchainCache] = {}

    def news(self, toolchain_key: str, told: int) -> tuple[list[PackedEntry], int]:
        """What a worker has not been told that was told so much, and how much it then was."""
        with self._lock:
            book = self._book(toolchain_key)
            return book.since(told), len(book.log)

    def learn(self, toolchain_key: str, entries: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Take note of what compiles ended in."""
        for key, entry in entries:
            with self._lock:
                book = self._book(toolchain_key)
                known = book.shelf.get(key)
                if known is not None:
                    if known["end"] == UNSTEADY["end"] or _same(known, entry):
                        continue
                    entry = UNSTEADY
                data = packed(entry)
                if len(data) > LONGEST:
                    continue
                book.put(key, data)
                self._keeper.keep(toolchain_key, (key, data))

    def _book(self, toolchain_key: str) -> _ToolchainCache:
        book = self._books.get(toolchain_key)
        if book is None:
            book = self._books[toolchain_key] = _ToolchainCache()
            for key, data in self._keeper.kept(toolchain_key):
                if unpacked(data) is not None:
                    book.put(key, data)
        return book


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """But for what was printed, which can have addresses in it."""
    return all(one.get(name) == other.get(name) for name in ("end", "module", "error", "signal", "code"))


def entries(
    probe: Probe, folder: str, facts: Sequence[Fact], printed: bytes, seen: Observation
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of each compile of a trial whose end would be the same another time: its key, and what it ended in.

    `printed`: the whole of stderr, with its marks. `seen`: what the trial was read as.
    """
    if seen.outcome is Outcome.BROKEN:
        return
    for at, fact in enumerate(facts):
        if fact["kind"] != "compile":
            continue
        said, left = _said(folder, fact["number"], printed)
        later = facts[at + 1 :]
        over = _over(later, fact["number"])
        entry = _died(seen) if not left else None if over is None else _ended(later[over], seen)
        # Another thread's compile has its mark within.
        if said is None or "\x1e" in said or f"{folder}/{probe.name}" in said or entry is None:
            continue
        if not _NOT_THE_COMPILERS.search(said + str(entry.get("error", ""))):
            told = [dict(each) for each in later[:over] if each["kind"] in TOLD]
            yield fact["sha256"], {**entry, "said": said.replace(folder, FOLDER), "facts": told}


def _over(later: Sequence[Fact], number: int) -> int | None:
    """Where it is said that the compile of that number was over."""
    return next((n for n, f in enumerate(later) if f["kind"] == "compiled" and f["number"] == number), None)


def _said(folder: str, number: int, printed: bytes) -> tuple[str | None, bool]:
    """What a compile printed, None where that is not known; and whether Python went on behind it."""
    begin, end = mark(folder, BEGIN, number), mark(folder, END, number)
    if begin not in printed:
        return None, True
    text, left, _ = printed.split(begin, 1)[1].partition(end)
    return text.decode("utf-8", "surrogateescape"), bool(left)


def _ended(fact: Fact, seen: Observation) -> dict[str, Any] | None:
    if fact["end"] == "ok":
        return {"end": "ok", "module": fact["module"]}
    if seen.outcome in (Outcome.MEMORY, Outcome.TIMEOUT):
        return None
    return {"end": "raised", "error": fact["error"]}


def _died(seen: Observation) -> dict[str, Any] | None:
    """The process did so within native code."""
    by_signal = seen.outcome is Outcome.SIGNAL and seen.signal in FATAL
    if not by_signal and (seen.outcome is not Outcome.EXIT or not seen.exit_code):
        return None
    return {"end": "died", "signal": seen.signal, "code": seen.exit_code}


def without_marks(folder: str, printed: bytes) -> bytes:
    """What the script's reader is to see."""
    return re.sub(_marks(folder), b"", printed)


def of_compiles(folder: str, *pieces: bytes) -> bytes | None:
    """What was printed while something was compiled; None where no mark says so in a text that is whole.

    `pieces`: the text, or its beginning and its end where what stood between them is not known.
    """
    begin, end = BEGIN.encode(), END.encode()
    found, marked = b"", False
    for at, piece in enumerate(pieces):
        before, *parts = re.split(_marks(folder), piece)
        marked = marked or bool(parts)
        if at and parts[:1] == [end]:
            found += before
        found += b"".join(t for word, t in zip(parts[::2], parts[1::2], strict=True) if word == begin)
    return found if marked or len(pieces) > 1 else None


def _marks(folder: str) -> bytes:
    name, _, _ = mark(folder, BEGIN, 0).partition(BEGIN.encode())
    words = "|".join((BEGIN, END)).encode()
    return re.escape(name) + b"(" + words + rb") \d+\x1e"
