"""A worker process as the runner holds it."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from flybisect.probe.inside import shelf, wire
from flybisect.toolchain.model import Toolchain

START_SECONDS = 300.0
"""An import of torch from a cold disk takes a while."""
GRACE_SECONDS = 60.0
"""What a worker may take beyond a trial's timeout to clean up and answer."""
POLL_SECONDS = 0.02
"""How soon a trial that is not wanted any more is given up."""
LEAK = 256 << 20
"""Bytes that a worker may grow by before it is replaced: it forks trials and has nothing to keep."""

WORKER = Path(__file__).with_name("worker.py")

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PYTHONPATH", "USER", "LOGNAME")
"""The variables of the user's environment that a worker sees."""


class WorkerDied(Exception):
    """The worker ended or stopped answering; says nothing about the script."""


class WorkerBroken(Exception):
    """The worker cannot start in this toolchain; the message is the first line of why."""


class TrialCancelled(Exception):
    """The caller asked for the trial to be given up."""


class Worker:
    """A started process. Not thread-safe: one trial at a time."""

    def __init__(
        self, toolchain: Toolchain, log: Path, room: Path, warm: bool, hidden: Sequence[Path] = ()
    ) -> None:
        """Returns at once; `ready` waits. Raises WorkerBroken where the interpreter cannot be run.

        `room`: an empty folder, for the worker to try in what confines a trial. `hidden`: folders that no
        trial sees.
        """
        self.toolchain = toolchain
        self.version = toolchain.version
        self.serves = False
        """It has been seen to be ready."""
        self.leaks = False
        """It has grown, and should be replaced."""
        self.told = 0
        """How much of what is remembered it has been told; see `remembering`."""
        self._size: int | None = None
        self._log = log
        ours, theirs = socket.socketpair()
        self._sock = ours
        start = {
            "paths": [str(path) for path in toolchain.paths],
            "rocm": str(toolchain.rocm) if toolchain.rocm is not None else None,
            "warm": warm,
            "room": str(room),
            "hidden": [str(path) for path in hidden],
        }
        try:
            with theirs, log.open("wb") as output:
                self._process = subprocess.Popen(
                    [str(toolchain.python), str(WORKER), str(theirs.fileno()), json.dumps(start)],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=[theirs.fileno()],
                    env=_environment(),
                    start_new_session=True,
                )
        except OSError as error:
            ours.close()
            raise WorkerBroken(f"{toolchain.python}: {error.strerror}") from error

    def ready(self, cancelled: threading.Event | None = None) -> None:
        """Wait until it serves. Raises WorkerBroken; TrialCancelled, and then it may be waited for again."""
        if self.serves:
            return
        try:
            message = self._answer(START_SECONDS, cancelled)
        except WorkerDied as error:
            raise WorkerBroken(self._last_words() or str(error)) from error
        if "broken" in message:
            raise WorkerBroken(str(message["broken"]).strip().split("\n", 1)[0])
        self.version = str(message.get("version") or self.version)
        self.serves = True

    def run(
        self,
        request: Mapping[str, Any],
        timeout: float,
        cancelled: threading.Event | None,
        news: list[tuple[str, bytes]],
    ) -> dict[str, Any]:
        """The worker's reply. `news`: of what is remembered. Raises WorkerDied, TrialCancelled."""
        try:
            wire.send(self._sock, {"trial": dict(request), "known": shelf.to_wire(news)})
        except OSError as error:
            raise WorkerDied(f"worker is gone: {error}") from error
        try:
            reply = self._answer(timeout + GRACE_SECONDS, cancelled)
        except TrialCancelled:
            self._call_off()
            raise
        size = int(reply["worker_bytes"])
        self._size = size if self._size is None else self._size
        self.leaks = size - self._size > LEAK
        return reply

    def close(self) -> None:
        """End it; what it runs goes with it."""
        self._sock.close()
        if not self.serves:
            # It would finish its imports first.
            self._process.kill()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _call_off(self) -> None:
        wire.send(self._sock, {"cancel": True})
        self._answer(GRACE_SECONDS, None)

    def _answer(self, seconds: float, cancelled: threading.Event | None) -> dict[str, Any]:
        left = seconds
        while not select.select([self._sock], [], [], POLL_SECONDS)[0]:
            left -= POLL_SECONDS
            if cancelled is not None and cancelled.is_set():
                raise TrialCancelled
            if left <= 0:
                raise WorkerDied("worker does not answer")
        try:
            self._sock.settimeout(GRACE_SECONDS)
            message = wire.receive(self._sock)
        except (OSError, wire.WireError) as error:
            raise WorkerDied(f"worker is gone: {error}") from error
        if message is None:
            raise WorkerDied("worker ended")
        return message

    def _last_words(self) -> str:
        """The last line that it printed, as `ModuleNotFoundError: No module named 'torch'`."""
        try:
            lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        except OSError:
            return ""
        return lines[-1] if lines else ""


def _environment() -> dict[str, str]:
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return passed | {
        # Tracing must not depend on the order of a set; torch must not start threads before a fork.
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
