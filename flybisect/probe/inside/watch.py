"""What no limit of the kernel's bounds for a trial as a whole: the memory and the number of its processes."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import processes
from .limits import OPEN_FILES, PROCESSES

WATCH_SECONDS = 0.5
"""Between two looks. Most trials are over before the first."""
CLOSE_SECONDS = 0.05
"""The same, while the trial has much."""
AGAIN_SECONDS = 0.02
"""After which too much must still be there: a process that is about to run another program counts twice."""
FEW = 8
"""Processes; of more than these the trial has much."""
SOCKET = 256 * 1024
"""Bytes that wait in a socket at most, where nobody asked for longer buffers (`net.core.wmem_default`)."""
PIPE = 64 * 1024

_PAGE = resource.getpagesize()
_NUMBER = re.compile(rb"^(\w+):\s+(\d+) kB", re.M)
_UNNAMED = re.compile(r"^(\S+) \S+ \S+ \S+ (\d+) +/dev/zero \(deleted\)$", re.M)
"""Memory that processes share and no file has: where it lies, and its number (proc(5), `maps`)."""


class Look:
    """What a worker had before it forked a trial."""

    def __init__(self, memory: int) -> None:
        """`memory`: MiB that all processes of the trial together may add to it."""
        self.allowed = memory << 20
        self.own = _taken(_numbers(f"/proc/{os.getpid()}/status"))
        self.shared = _shared_on_the_machine()


class ResourceWatch:
    """Of one trial."""

    def __init__(self, before: Look, files: Sequence[int], folders: Sequence[str]) -> None:
        """`files`, `folders`: open files in memory, and paths of file systems in memory, that it can fill."""
        self._before = before
        self._files = files
        self._folders = folders
        self._next = time.monotonic() + WATCH_SECONDS
        self._suspected = False

    def seconds(self) -> float:
        """Until the next look."""
        return max(0.0, self._next - time.monotonic())

    def excess(self) -> str | None:
        """`memory` or `processes` where there is too much of them; None also where it is not time to look."""
        if time.monotonic() < self._next:
            return None
        found = processes.descendants(os.getpid())
        if len(found) > PROCESSES:
            return "processes"
        allowed, bound = self._before.allowed, self._bound(found)
        much = bound > allowed // 2 or len(found) > FEW
        self._next = time.monotonic() + (CLOSE_SECONDS if much else WATCH_SECONDS)
        if bound <= allowed or self._taken(found) <= allowed:
            self._suspected = False
            return None
        if self._suspected:
            return "memory"
        self._suspected = True
        self._next = time.monotonic() + AGAIN_SECONDS
        return None

    def _bound(self, found: Sequence[int]) -> int:
        """Bytes that it does not exceed, found fast: pages count for each who has them, files as sockets."""
        own = shared = files = 0
        for pid in found:
            numbers = _numbers(f"/proc/{pid}/status")
            own += max(0, _taken(numbers) - self._before.own)
            shared += numbers.get("RssShmem", 0)
            files += _descriptors(pid)
        with contextlib.suppress(OSError):
            shared += self._in_files()
        return own + max(shared, self._growth()) + files * SOCKET

    def _taken(self, found: Sequence[int]) -> int:
        return self._own(found) + self._shared(found) + _waiting(found)

    def _own(self, found: Sequence[int]) -> int:
        """What the worker's memory and theirs is together, without the worker's: each page once."""
        worker = os.getpid()
        together = 0
        for pid in (worker, *found):
            numbers = _numbers(f"/proc/{pid}/smaps_rollup")
            if "Pss_Anon" in numbers:
                together += numbers["Pss_Anon"] + numbers.get("SwapPss", 0)
            elif pid == worker:
                return sum(max(0, own_bytes(each) - self._before.own) for each in found)
            else:
                together += max(0, own_bytes(pid) - self._before.own)
        return together - own_bytes(worker)

    def _shared(self, found: Sequence[int]) -> int:
        """In files in memory, named or not, mapped or not. Where that can't be seen, what all of the machine
        has more than before the trial."""
        try:
            return self._in_files() + _in_unnamed(found)
        except OSError:
            return self._growth()

    def _in_files(self) -> int:
        held = sum(os.fstat(handle).st_blocks * 512 for handle in self._files)
        for folder in self._folders:
            system = os.statvfs(folder)
            held += (system.f_blocks - system.f_bfree) * system.f_frsize
        return held

    def _growth(self) -> int:
        return max(0, _shared_on_the_machine() - self._before.shared)


def own_bytes(pid: int) -> int:
    """Memory that is no file's and not shared by intent; 0 when the process is gone."""
    return _taken(_numbers(f"/proc/{pid}/status"))


def _taken(numbers: dict[str, int]) -> int:
    return numbers.get("RssAnon", 0) + numbers.get("VmSwap", 0)


def _shared_on_the_machine() -> int:
    return _numbers("/proc/meminfo").get("Shmem", 0)


def _numbers(path: str) -> dict[str, int]:
    """Bytes by name; nothing where it can't be read."""
    try:
        text = Path(path).read_bytes()
    except OSError:
        return {}
    return {name.decode("ascii"): int(value) << 10 for name, value in _NUMBER.findall(text)}


def _in_unnamed(found: Iterable[int]) -> int:
    """Shared memory without a name, each once, also where only a part of it is mapped. Raises OSError where
    it can't be seen."""
    held: dict[str, int] = {}
    for pid in found:
        try:
            text = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="replace")
            for place, number in _UNNAMED.findall(text):
                if number not in held:
                    held[number] = os.stat(f"/proc/{pid}/map_files/{place}").st_blocks * 512
        except (FileNotFoundError, ProcessLookupError):
            continue
    return sum(held.values())


def _waiting(found: Iterable[int]) -> int:
    """What may wait in sockets and pipes, each once; who shows none of his files has as many as he may."""
    kinds: set[str] = set()
    hidden = 0
    for pid in found:
        try:
            for name in os.listdir(f"/proc/{pid}/fd"):
                kinds.add(_link(f"/proc/{pid}/fd/{name}"))
        except PermissionError:
            hidden += OPEN_FILES
        except OSError:
            continue
    sockets = hidden + sum(kind.startswith("socket:") for kind in kinds)
    return sockets * SOCKET + PIPE * sum(kind.startswith("pipe:") for kind in kinds)


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _descriptors(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:
        return OPEN_FILES
    except OSError:
        return 0
