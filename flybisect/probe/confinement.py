"""What confines a trial on this machine, in sentences: for `doctor`, reports and `--require-sandbox`."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache

from flybisect.errors import UserError
from flybisect.probe.inside.sandbox import Means
from flybisect.probe.process import WORKER

TRUNCATION, TCP, SIGNALS = 3, 4, 6
"""From which ABI of Landlock on it has a say in each."""
_PATIENCE = 60.0
_BOUNDED = "a trial's address space, CPU time, files, memory, processes and output are bounded"
_UNSEEN = "no session is seen by a trial"
_LOCKS = "a file's lock is granted to a script and not taken, also among its own processes"
_FIFOS = "a trial can write to named pipes (FIFOs) of yours outside of /tmp: this kernel has no Landlock"


@dataclass(frozen=True)
class Confinement:
    """What holds, what does not, and what a script may notice of it; a sentence each, without a full stop."""

    holds: tuple[str, ...]
    lacks: tuple[str, ...]
    """What a malicious script could still do. Empty where trials are confined wholly."""
    noticed: tuple[str, ...] = ()
    """What an innocent script is refused here that it would be given elsewhere."""

    @property
    def whole(self) -> bool:
        return not self.lacks


@cache
def confinement() -> Confinement:
    """Of this machine and user, tried out once in a process of its own."""
    return described(_means())


def require() -> None:
    """Raises UserError where trials are not confined wholly."""
    found = confinement()
    if not found.whole:
        raise UserError(
            f"--require-sandbox: trials are not confined wholly here: {'; '.join(found.lacks)}; "
            "`flybisect doctor` says what would help"
        )


def described(means: Means) -> Confinement:
    """Pure."""
    if means.namespaces:
        return _within_namespaces(means)
    holds: list[str] = []
    lacks: list[str] = []
    for kept, said, lost in _guarantees(means):
        (holds if kept else lacks).append(said if kept else lost)
    noticed = ["what a script writes to /tmp or /dev/shm is refused, as multiprocessing.Pool does"]
    if means.seccomp:
        noticed.append("a script cannot change modes and times of files, its own included")
        noticed.append(_LOCKS)
    return Confinement((*holds, _BOUNDED), tuple(lacks), tuple(noticed) if means.landlock else ())


def _within_namespaces(means: Means) -> Confinement:
    holds = (
        "a trial writes into folders of its own in memory and sees the rest of the disk read-only",
        "a trial has no network",
        "a trial sees no processes but its own, and all of them end with it",
        _UNSEEN,
        _BOUNDED,
    )
    lacks = [] if means.seccomp else ["a trial can reach sockets in the file system, as those of a desktop"]
    if not means.seccomp:
        lacks.append("a trial can lock files of yours, and programs that want the lock wait until it ends")
    if not means.landlock:
        lacks.append(_FIFOS)
    if not means.landlock and not means.seccomp:
        lacks.append("there is neither Landlock nor seccomp behind the namespaces")
    noticed = [] if means.own_tmp else ["what a script writes to /tmp is refused"]
    noticed += [_LOCKS] if means.seccomp else []
    return Confinement(holds, tuple(lacks), tuple(noticed))


def _guarantees(means: Means) -> list[tuple[bool, str, str]]:
    """Whether it holds, the sentence where it does, the sentence where it does not."""
    abi = means.landlock
    named = f"Landlock ABI {abi}" if abi else "this kernel has no Landlock"
    return [
        (
            abi >= TRUNCATION,
            f"a trial writes only below its own folder ({named})",
            f"a trial can {'truncate' if abi else 'write'} any file of yours: {named}",
        ),
        (
            means.seccomp,
            "a trial opens no socket, takes no file's lock, and changes no file's mode, times or owner",
            f"a trial can change modes and times of your files, lock them, and open "
            f"{'other sockets than TCP' if abi >= TCP else 'sockets'}: there is no seccomp",
        ),
        (
            abi >= SIGNALS,
            "a trial signals only its own processes",
            "a trial can signal your other processes: neither namespaces nor Landlock ABI 6",
        ),
        (abi > 0, _UNSEEN, "a trial can read sessions"),
        (
            abi > 0,
            "a trial reaches no other process's memory; every process that it starts is ended with it",
            "a trial can reach the memory of your other processes"
            + (" by way of /proc, unless you are root" if means.seccomp else ""),
        ),
    ]


def _means() -> Means:
    """Raises UserError where this interpreter cannot run the examination."""
    with tempfile.TemporaryDirectory(prefix="flybisect-") as room:
        command = [sys.executable, str(WORKER), "--examine", room]
        try:
            done = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=True)
            return Means(**json.loads(done.stdout))
        except (OSError, subprocess.SubprocessError, ValueError, TypeError) as error:
            raise UserError(f"what confines trials here cannot be found out: {error}") from error
