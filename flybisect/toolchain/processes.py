"""The one place that starts processes for installing and building."""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from flybisect.toolchain.descendants import kill_all

MARK = "FLYBISECT_RUN"
"""Environment variable by which all that a process started is found again."""


POLL = 0.2
"""Seconds until a `stop` is heeded."""


class Stopped(Exception):
    """A process was ended because its caller's `stop` was set; nothing is known of what it did."""


@dataclass(frozen=True)
class Finished:
    """How a process ended and what it printed (stdout and stderr together)."""

    code: int | None
    """Exit code, negative for a signal; None when its time ran out or it could not be started."""
    output: str

    @property
    def ok(self) -> bool:
        return self.code == 0


def run(
    argv: Sequence[str],
    *,
    timeout: float,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    log: Path | None = None,
    keep_open: Sequence[int] = (),
    stop: threading.Event | None = None,
) -> Finished:
    """Runs `argv` without a terminal for at most `timeout` seconds and waits for it.

    `log` is appended to while the output is being made, so that a long build can be watched and its
    log outlives a kill. It is ended with all that it started when its time is over, or when we are
    interrupted. `keep_open` are file descriptors that it inherits: with a lock's, the lock is held for as
    long as the process lives, even where we were killed. Raises Stopped soon after `stop` is set, which
    another thread does.
    """
    with log.open("a+b") if log is not None else tempfile.TemporaryFile() as sink:
        start = sink.seek(0, os.SEEK_END)
        try:
            code = _run_into(sink, argv, timeout, cwd, env, keep_open, stop)
        except OSError as error:
            return Finished(None, f"{argv[0]}: {error.strerror or error}")
        sink.seek(start)
        return Finished(code, sink.read().decode("utf-8", "replace"))


def _run_into(
    sink: IO[bytes],
    argv: Sequence[str],
    timeout: float,
    cwd: Path | None,
    env: Mapping[str, str] | None,
    keep_open: Sequence[int],
    stop: threading.Event | None,
) -> int | None:
    mark = secrets.token_hex(16)
    process = subprocess.Popen(
        list(argv),
        stdin=subprocess.DEVNULL,
        stdout=sink,
        stderr=subprocess.STDOUT,
        cwd=cwd,
        env={**(os.environ if env is None else env), MARK: mark},
        start_new_session=True,
        pass_fds=tuple(keep_open),
    )
    try:
        return _wait(process, timeout, stop)
    finally:
        if process.poll() is None:
            kill_all(process.pid, f"{MARK}={mark}")
            process.wait()


def _wait(process: subprocess.Popen[bytes], timeout: float, stop: threading.Event | None) -> int | None:
    end = time.monotonic() + timeout
    while (left := end - time.monotonic()) > 0:
        if stop is not None and stop.is_set():
            raise Stopped
        try:
            return process.wait(left if stop is None else min(POLL, left))
        except subprocess.TimeoutExpired:
            continue
    return None
