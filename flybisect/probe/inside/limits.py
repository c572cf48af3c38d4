"""Bounds on what each process of a trial may take: address space, CPU, files; no core dumps."""

from __future__ import annotations

import math
import os
import resource
from pathlib import Path

FILE_BYTES = 256 * 1024 * 1024
"""Longest file that a trial may write."""
OPEN_FILES = 4096
PROCESSES = 512
"""Processes and threads of a trial at once."""

_MIB = 1024 * 1024
_SPARE = 64 * _MIB


def address_space() -> int:
    """Bytes of address space that this process has now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def apply(memory: int, timeout: float, *, counted_alone: bool) -> int:
    """Bound this process: `memory` MiB above what it has now, `timeout` seconds of CPU.

    `counted_alone`: the user's other processes are not counted with it. Returns the bound on the address
    space in bytes.
    """
    bound = address_space() + memory * _MIB
    cpu = max(1, math.ceil(timeout) + 1)
    _lower(resource.RLIMIT_AS, bound, bound + _SPARE)
    # The soft limit raises SIGXCPU; the hard one, a little later, kills.
    _lower(resource.RLIMIT_CPU, cpu, cpu + 5)
    _lower(resource.RLIMIT_FSIZE, FILE_BYTES, FILE_BYTES)
    # 0 would still start a program that takes core dumps (core(5), RLIMIT_CORE and pipes).
    _lower(resource.RLIMIT_CORE, 1, 1)
    _lower(resource.RLIMIT_MSGQUEUE, 0, 0)
    _lower(resource.RLIMIT_RTPRIO, 0, 0)
    _lower(resource.RLIMIT_NICE, 0, 0)
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    _lower(resource.RLIMIT_NOFILE, soft, OPEN_FILES)
    if counted_alone and os.getuid() != 0:  # the kernel does not count root's
        _lower(resource.RLIMIT_NPROC, PROCESSES, PROCESSES)
    return bound


def release_spare() -> None:
    """Room to say what happened, after the script has used up all that it was given."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _lower(kind: int, soft: int, hard: int) -> None:
    """A limit can only be lowered: one that is already tighter stays."""
    _, present = resource.getrlimit(kind)
    if present != resource.RLIM_INFINITY:
        hard = min(hard, present)
    resource.setrlimit(kind, (min(soft, hard), hard))
