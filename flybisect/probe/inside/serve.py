"""A worker: imports torch and flydsl once, then forks a child per trial."""

from __future__ import annotations

import base64
import contextlib
import gc
import importlib
import os
import select
import signal
import socket
import sys
import tempfile
import time
import weakref
from pathlib import Path
from typing import Any

from . import gpuless, kernel, processes, recorder, sandbox, shelf, trial, wire
from .pump import RECORD, TAIL, Pump
from .watch import Look, ResourceWatch, own_bytes

NEEDED = ("torch", "flydsl.compiler", "flydsl.expr")

LAZY = (
    "flydsl.expr.rocdl",
    "flydsl.expr.ktrace",
    "flydsl.expr.ktrace_common",
    "flydsl.expr.utils.expand_ops",
    "flydsl.compiler.llvm_options",
    "flydsl._mlir.dialects.builtin",
    "flydsl._mlir.dialects.llvm",
    "torch.overrides",
)
"""What a first compile was seen to import in one release or another; not every release has them all."""
RECORD_LIMIT = 64 * 1024 * 1024
"""Bytes of facts that are read of one trial; escaped, they still go into one message."""


def main(control: int, start: dict[str, Any]) -> int:
    """Serve until the other side closes, and never return then.

    `start`: `paths`, `rocm`, `warm`, `room`, an empty folder to try things out in, and `hidden`, folders that
    no trial sees.
    """
    sock = socket.socket(fileno=control)
    sys.path[:0] = start["paths"]
    kernel.adopt_orphans()
    try:
        box = sandbox.Sandbox(sandbox.examine(start["room"]), start["hidden"])
        version = _load(start["warm"])
    except Exception as error:  # whatever a toolchain's import raises, the runner is told
        wire.send(sock, {"broken": f"{type(error).__name__}: {error}"})
        return 1
    wire.send(sock, {"ready": True, "version": version})
    entries = shelf.Shelf()
    while True:
        request = wire.receive(sock)
        if request is None:
            # Not by way of torch's and MLIR's destructors, which take their time.
            os._exit(0)
        if "trial" in request:
            for key, packed in shelf.from_wire(request["known"]):
                entries.put(key, packed)
            usable = entries if request["trial"]["replays"] else shelf.Shelf()
            child = _Trial(request["trial"], start["rocm"], sock, box, usable, start["warm"])
            wire.send(sock, child.outcome())


def _load(warm: bool) -> str:
    """Import what every trial needs, so that no trial pays for it; FlyDSL's version."""
    if not warm:
        return ""
    torch = importlib.import_module("torch")
    # A pool of threads in the parent would not be there in a fork.
    torch.set_num_threads(1)
    # Before FlyDSL, which takes torch's classes as it finds them.
    gpuless.install()
    for name in NEEDED:
        importlib.import_module(name)
    for name in LAZY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    _leave_unfinished()
    gc.collect()
    gc.freeze()
    return str(getattr(importlib.import_module("flydsl"), "__version__", ""))


def _leave_unfinished() -> None:
    """What was imported here is not tidied away at the end of every trial: torch takes its time for that."""
    for finalizer in list(weakref.finalize._registry):  # type: ignore[attr-defined]
        finalizer.atexit = False


def _file_without_a_name(label: str) -> int:
    """In memory; on disk where this runs in a trial itself, which may make none there."""
    try:
        return os.memfd_create(label)
    except OSError:
        with tempfile.TemporaryFile() as file:
            return os.dup(file.fileno())


class _Trial:
    """One forked child, from its start until nothing of it is left."""

    def __init__(
        self,
        request: dict[str, Any],
        rocm: str | None,
        sock: socket.socket,
        box: sandbox.Sandbox,
        entries: shelf.Shelf,
        warm: bool,
    ) -> None:
        self._sock = sock
        self._box = box
        self._entries = entries
        self._warm = warm
        self._record = _file_without_a_name("record")
        self._crash = _file_without_a_name("crash")
        self._started = time.monotonic()
        self._deadline = self._started + request["timeout"]
        self._kills = _out_of_memory_kills()
        reading, writing = os.pipe()
        self._pump = Pump(reading, RECORD if "coverage" in request["wants"] else TAIL)
        self._output: Pump | None
        out_writing: int | None
        self._output, out_writing = _output_pump() if "output" in request["wants"] else (None, None)
        self._gone = False
        sys.stdout.flush()
        sys.stderr.flush()
        look = Look(request["memory"])
        self._pid = os.fork()
        if self._pid == 0:
            self._child(request, rocm, writing, out_writing)
        files = (self._record, self._crash)
        folders = (request["own"], *box.memory_folders) if box.memory_folders else ()
        self._watch = ResourceWatch(look, files, [f"/proc/{self._pid}/root{each}" for each in folders])
        os.close(writing)
        if out_writing is not None:
            os.close(out_writing)

    def _child(self, request: dict[str, Any], rocm: str | None, stderr: int, stdout: int | None) -> None:
        try:
            trial.detach(self._sock.fileno())
            # Else it could take what the worker was told is there, and have the worker wait for more.
            self._pump.close()
            if self._output is not None:
                self._output.close()
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 0)
            os.dup2(null if stdout is None else stdout, 1)
            os.dup2(stderr, 2)
            own, shared = request["own"], (self._box, self._entries, self._warm)
            trial.run(request, own, rocm, self._record, self._crash, *shared)
        finally:
            os._exit(70)

    def outcome(self) -> dict[str, Any]:
        try:
            ended, status, usage = self._wait()
            if not self._box.end_all():
                processes.end_descendants()
            self._pump.drain()
            if self._output is not None:
                self._output.drain()
            return {
                "ended": ended,
                "status": status,
                "seconds": time.monotonic() - self._started,
                "cpu": usage.ru_utime + usage.ru_stime if usage else 0.0,
                "peak_kib": usage.ru_maxrss if usage else 0,
                "oom_kill": _out_of_memory_kills() > self._kills,
                "head": base64.b64encode(self._pump.head).decode("ascii"),
                "tail": base64.b64encode(self._pump.tail).decode("ascii"),
                "dropped": self._pump.dropped,
                "stdout": base64.b64encode(_both_ends(self._output)).decode("ascii"),
                "crash": os.pread(self._crash, 1 << 16, 0).decode("utf-8", "replace"),
                "facts": recorder.read(self._record, RECORD_LIMIT),
                "worker_bytes": own_bytes(os.getpid()),
            }
        finally:
            self._pump.close()
            if self._output is not None:
                self._output.close()
            os.close(self._record)
            os.close(self._crash)

    def _ask_where(self) -> None:
        os.kill(self._pid, trial.WHERE_ARE_YOU)
        time.sleep(0.05)

    def _wait(self) -> tuple[str, int, Any]:
        """How the wait ended (`exit`, `timeout`, `cancelled`, or what `Watch` says), the wait status, the
        resources used."""
        ended = "exit"
        child = os.pidfd_open(self._pid)
        try:
            poller = select.poll()
            pumps = {pump.handle: pump for pump in (self._pump, self._output) if pump is not None}
            for handle in (child, *pumps, self._sock.fileno()):
                poller.register(handle, select.POLLIN)
            while True:
                left = self._deadline - time.monotonic()
                if left <= 0:
                    ended = "timeout"
                    self._ask_where()
                    break
                ready = {handle for handle, _ in poller.poll(min(left, self._watch.seconds()) * 1000)}
                if child not in ready and (excess := self._watch.excess()) is not None:
                    ended = excess
                    break
                for handle in ready & pumps.keys():
                    if not pumps[handle].take():
                        poller.unregister(handle)
                if self._sock.fileno() in ready:
                    # A word to stop, or the runner is gone; either way this trial is over.
                    wire.receive(self._sock)
                    ended = "cancelled"
                    break
                if child in ready:
                    break
        finally:
            os.close(child)
        # Before it is reaped, while its number cannot be another process's.
        _kill_group(self._pid)
        _, status, usage = os.wait4(self._pid, 0)
        return ended, status, usage


def _output_pump() -> tuple[Pump, int]:
    """Of stdout, and the end to write into."""
    reading, writing = os.pipe()
    return Pump(reading), writing


def _both_ends(pump: Pump | None) -> bytes:
    """The beginning and the end of what it took."""
    return b"" if pump is None else pump.head + pump.tail


def _kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _out_of_memory_kills() -> int:
    """How often this kernel has killed a process for want of memory; 0 where it does not say."""
    try:
        counters = Path("/proc/vmstat").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in counters.splitlines() if line.startswith("oom_kill ")), 0)
