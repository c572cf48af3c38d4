"""Runs probes: one warm worker per toolchain and slot, started when first needed."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from flybisect.observation import Observation, Outcome, Probe, Stage
from flybisect.probe import files_read, reading
from flybisect.probe.process import TrialCancelled, Worker, WorkerBroken, WorkerDied
from flybisect.probe.remembering import CompileCache, CompileStore, PackedEntry, may_replay
from flybisect.probe.removal import remove
from flybisect.toolchain.model import Toolchain

SLOT_POLL_SECONDS = 0.1

__all__ = ["Runner", "TrialCancelled"]


class Runner:
    """At most `jobs` trials at once. Thread-safe; a context manager."""

    def __init__(
        self, scratch: Path, jobs: int, keeper: CompileStore | None = None, hidden: Sequence[Path] = ()
    ) -> None:
        """`scratch`: a folder for trial folders and worker logs; made where it is missing.

        `keeper`: where is kept what compiles ended in; without one, everything is compiled every time.
        `hidden`: folders that no trial sees, as that of the sessions.
        """
        if jobs < 1:
            raise ValueError("at least one job is needed")
        scratch.mkdir(parents=True, exist_ok=True)
        self._root = Path(tempfile.mkdtemp(prefix="trials-", dir=scratch)).resolve()
        self._jobs = jobs
        self._hidden = tuple(hidden)
        self._slots = threading.BoundedSemaphore(jobs)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._started = 0
        self._closed = False
        self._remembering = None if keeper is None else CompileCache(keeper)

    def run(
        self, probe: Probe, toolchain: Toolchain, cancelled: threading.Event | None = None
    ) -> Observation:
        """Blocks until the trial is over. Raises TrialCancelled soon after `cancelled` is set."""
        with self._slot(cancelled):
            try:
                return self._attempt(probe, toolchain, cancelled)
            except WorkerDied:
                pass
            try:
                return self._attempt(probe, toolchain, cancelled)
            except WorkerDied as error:
                return _broken(probe, toolchain, f"{error}, twice")

    def run_cold(self, probe: Probe, toolchain: Toolchain) -> Observation:
        """The same in a fresh process in which nothing was imported before."""
        with self._slot(None):
            try:
                worker = self._start(toolchain, warm=False)
            except WorkerBroken as error:
                return _broken(probe, toolchain, str(error))
            try:
                worker.ready()
                return self._trial(worker, replace(probe, anew=True), None)
            except (WorkerBroken, WorkerDied) as error:
                return _broken(probe, toolchain, str(error))
            finally:
                worker.close()

    def close(self) -> None:
        """End the workers and remove what trials left behind. Trials must be over."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()
        remove(self._root)

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _slot(self, cancelled: threading.Event | None) -> Iterator[None]:
        while not self._slots.acquire(timeout=SLOT_POLL_SECONDS):
            if cancelled is not None and cancelled.is_set():
                raise TrialCancelled
        try:
            yield
        finally:
            self._slots.release()

    def _attempt(self, probe: Probe, toolchain: Toolchain, cancelled: threading.Event | None) -> Observation:
        try:
            worker = self._take(toolchain) or self._start(toolchain, warm=True)
        except WorkerBroken as error:
            return _broken(probe, toolchain, str(error))
        try:
            worker.ready(cancelled)
            seen = self._trial(worker, probe, cancelled)
        except TrialCancelled:
            # Also one that is still importing: whoever comes next waits for the rest only.
            self._give_back(worker)
            raise
        except WorkerBroken as error:
            worker.close()
            return _broken(probe, toolchain, str(error))
        except BaseException:
            worker.close()
            raise
        self._give_back(worker)
        return seen

    def _trial(self, worker: Worker, probe: Probe, cancelled: threading.Event | None) -> Observation:
        folder = Path(tempfile.mkdtemp(prefix="trial-", dir=self._root))
        try:
            request = {
                "source": probe.source,
                "name": probe.name,
                "arch": probe.arch,
                "argv": list(probe.argv),
                "env": dict(probe.env),
                "folder": str(probe.folder.absolute()) if probe.folder is not None else None,
                "wants": sorted(want.value for want in probe.wants),
                "stage": probe.stage,
                "command": probe.command,
                "timeout": probe.timeout,
                "memory": probe.memory,
                "own": str(folder),
                "replays": self._remembering is not None and may_replay(probe),
            }
            news = self._news(worker) if request["replays"] else []
            reply = worker.run(request, probe.timeout, cancelled, news)
            seen, ended, read = reading.with_compiles(probe, worker.version, str(folder), reply)
            if self._remembering is not None:
                self._remembering.learn(worker.toolchain.key, ended)
            if probe.command is not None and probe.folder is not None:
                everything = files_read.everything(probe.folder)  # The command's own processes open them.
                return replace(seen, files=files_read.digests(probe.folder, everything))
            files = files_read.digests(probe.folder, read)
            return replace(seen, files=files, python_files=files_read.python_files(files))
        finally:
            remove(folder)

    def _news(self, worker: Worker) -> list[PackedEntry]:
        assert self._remembering is not None
        news, worker.told = self._remembering.news(worker.toolchain.key, worker.told)
        return news

    def _start(self, toolchain: Toolchain, *, warm: bool) -> Worker:
        with self._lock:
            self._started += 1
            log, room = self._root / f"worker-{self._started}.log", self._root / f"room-{self._started}"
        room.mkdir()
        return Worker(toolchain, log, room, warm, self._hidden)

    def _take(self, toolchain: Toolchain) -> Worker | None:
        """One that serves; else one that is being started."""
        with self._lock:
            fitting = [worker for worker in self._idle if worker.toolchain == toolchain]
            if not fitting:
                return None
            worker = next((w for w in reversed(fitting) if w.serves), fitting[0])
            self._idle.remove(worker)
            return worker

    def _give_back(self, worker: Worker) -> None:
        """Keep it warm, unless it leaks; where too many wait, the one unused for longest goes."""
        with self._lock:
            if not self._closed and not worker.leaks:
                self._idle.append(worker)
                worker_to_close = self._idle.pop(0) if len(self._idle) > 2 * self._jobs else None
            else:
                worker_to_close = worker
        if worker_to_close is not None:
            worker_to_close.close()


def _broken(probe: Probe, toolchain: Toolchain, why: str) -> Observation:
    return Observation(
        outcome=Outcome.BROKEN,
        stage=Stage.START,
        arch=probe.arch,
        flydsl=toolchain.version,
        note=why,
    )
