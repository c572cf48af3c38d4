"""The link to a scheduler: tasks go out one by one through Dask's own client, and each can be cancelled.

Not through `joblib.Parallel`, which maps a function over a list: over Dask it gives out nothing by which one
task is cancelled, waits for ever for a task that the scheduler lost, and runs the task in this process where
the cluster has one core. `flybisect.search.parallel_map` uses it for what is a map.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable

from flybisect.errors import UserError
from flybisect.probe.process import TrialCancelled

try:
    from distributed import Client, Future
except ImportError as error:
    raise UserError(
        "--scheduler needs the package distributed, which is not installed; pip install 'flybisect[cluster]'"
    ) from error

CONNECT_SECONDS = 10.0
PATIENCE_SECONDS = 30.0
"""For which a cluster may be without a worker, or a scheduler not to be reached: machines start again."""
LOOK_SECONDS = 2.0
"""Between two checks of the cluster while answers are waited for."""
POLL_SECONDS = 0.02
"""How soon a trial that is not wanted any more is called off."""
SUBMISSIONS = 4
"""Of one task, where Dask loses it with the scheduler."""
_NOT_YET = (asyncio.TimeoutError, TimeoutError, OSError)
"""The reply is on its way, or a connection is made anew. Two names of one error since Python 3.11."""


class SchedulerClient:
    """Safe to use from several threads; to be closed."""

    def __init__(self, scheduler: str, patience: float = PATIENCE_SECONDS) -> None:
        """`patience` in seconds. Raises UserError where there is no scheduler, or no worker in time."""
        self._scheduler = scheduler
        self._patience = patience
        _hush()
        try:
            self._client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False, name="flybisect")
        except (OSError, ValueError, TypeError) as error:
            raise UserError(
                f"no Dask scheduler answers at {scheduler} ({error}); start one with `dask scheduler`, and "
                "give the address that it prints, as tcp://host:8786"
            ) from error
        self._lock = threading.Lock()
        self._looked = self._well = time.monotonic()
        try:
            while not self.slots:
                self._look()
                time.sleep(POLL_SECONDS)
        except BaseException:
            self.close()
            raise

    @property
    def slots(self) -> int:
        """Trials that the workers run at once."""
        try:
            return sum(self._client.nthreads().values())
        except Exception:  # noqa: BLE001 - as in `_cancel`
            return 0

    def call(
        self,
        function: Callable[..., bytes],
        arguments: tuple[bytes | None, ...],
        cancelled: threading.Event | None,
    ) -> bytes:
        """What a worker replies for a function of `flybisect.cluster.worker_tasks`.

        Another worker takes over from one that is lost. Raises TrialCancelled soon after `cancelled` is set,
        and UserError where the cluster is gone.
        """
        for _ in range(SUBMISSIONS):
            self._look()
            # Pure calls would share a reply, and one that was cancelled would cancel the other.
            future = self._client.submit(function, *arguments, pure=False)
            try:
                reply = self._reply(future, cancelled)
            finally:
                if not future.done():
                    _cancel(future)
            if reply is not None:
                return reply
        raise UserError(f"the scheduler {self._scheduler} lost a task {SUBMISSIONS} times; read its log")

    def close(self) -> None:
        self._client.close(timeout=CONNECT_SECONDS)

    def _reply(self, future: Future[bytes], cancelled: threading.Event | None) -> bytes | None:
        """None where Dask lost the task."""
        ended = threading.Event()
        future.add_done_callback(lambda _: ended.set())
        while True:
            if ended.wait(POLL_SECONDS) or future.done():
                if future.cancelled():
                    return None
                try:
                    return bytes(future.result(timeout=LOOK_SECONDS))
                except Exception as error:  # whatever a worker raises that cannot do what it is sent
                    if future.cancelled():
                        return None
                    if future.status == "error" or not isinstance(error, _NOT_YET):
                        raise UserError(
                            f"the workers at {self._scheduler} can't run trials "
                            f"({type(error).__name__}: {error}); "
                            "they need the same flybisect, in the same Python, as this command"
                        ) from error
            if cancelled is not None and cancelled.is_set():
                raise TrialCancelled
            self._look()

    def _look(self) -> None:
        """Raises UserError once nothing has been there for so long that nothing will come."""
        with self._lock:
            now = time.monotonic()
            closed = self._client.status in ("closing", "closed")
            if now - self._looked < LOOK_SECONDS and not closed:
                return
            self._looked = now
            connected = self._client.status == "running"
            if connected and self.slots:
                self._well = time.monotonic()
                return
            gone = time.monotonic() - self._well > self._patience
        if gone or closed:
            what = "has no worker" if connected else "cannot be reached"
            raise UserError(
                f"the scheduler {self._scheduler} {what} any more; what was answered is kept, so start it "
                "again and give the same command"
            )


def _cancel(future: Future[bytes]) -> None:
    try:
        future.cancel()
    except Exception:  # noqa: BLE001 - each version of Dask has its own for a scheduler that is gone
        # The scheduler cancels what belongs to a client that is gone.
        pass


def _hush() -> None:
    """Who waits for a lost connection says so in one sentence; Dask logs many."""
    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
