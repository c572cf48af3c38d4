"""The link to a scheduler: tasks go out by joblib's Dask back-end, one by one, and can be called off.

`joblib.Parallel` is left out over Dask for more reasons than here (`flybisect.judge.speculation`): it waits
for ever for a task that Dask gave up (its back-end calls no callback then), and on a cluster with one core it
runs the task in this process. The back-end's own `submit` has neither fault.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from typing import Any

from joblib import parallel_config
from joblib.parallel import BatchedCalls

from flybisect.errors import UserError
from flybisect.probe.process import TrialCancelled

try:
    from distributed import Client
except ImportError as error:
    raise UserError(
        "--scheduler needs the package distributed, which is not installed; pip install 'flybisect[cluster]'"
    ) from error

CONNECT_SECONDS = 10.0
PATIENCE_SECONDS = 30.0
"""For which a cluster may be without a worker, or a scheduler not to be reached: machines start again."""
LOOK_SECONDS = 2.0
"""Between two looks at the cluster while answers are waited for."""
POLL_SECONDS = 0.02
"""How soon a trial that is not wanted any more is called off."""
Remote = Callable[..., bytes]
"""A function of `flybisect.cluster.worker_tasks`: given a number of the call's own, then its arguments."""

SUBMISSIONS = 4
"""Of one task, where Dask loses it with the scheduler."""


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
        self._noting = _Noting(self._client)
        with parallel_config(backend="dask", client=self._noting) as configured:
            self._backend = configured["backend"]
        self._backend.start_call()
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
        except Exception:  # noqa: BLE001 - as in `_cancelled`
            return 0

    def call(
        self, function: Remote, arguments: tuple[bytes | None, ...], cancelled: threading.Event | None
    ) -> bytes:
        """What a worker replies. Raises TrialCancelled soon after `cancelled` is set, and UserError where
        the cluster is gone. A worker that is lost on the way is made up for by another."""
        for _ in range(SUBMISSIONS):
            number = uuid.uuid4().hex
            batch = BatchedCalls([(function, (number, *arguments), {})], (self._backend, 1))
            future = self._backend.submit(batch, _nothing)
            try:
                found = self._awaited(future, cancelled)
            finally:
                self._noting.call_off(number)
            if not isinstance(found, BaseException):
                return found
        raise UserError(f"the scheduler {self._scheduler} loses what it is given; look at its log")

    def close(self) -> None:
        self._backend.stop_call()
        self._client.close(timeout=CONNECT_SECONDS)

    def _awaited(self, future: Future[Any], cancelled: threading.Event | None) -> bytes | BaseException:
        """The reply, or how Dask lost the task."""
        while True:
            try:
                out = future.result(timeout=POLL_SECONDS)
                if isinstance(out, BaseException):
                    return out
                (reply,) = self._backend.retrieve_result_callback(out)
                return bytes(reply)
            except NotYet:
                if cancelled is not None and cancelled.is_set():
                    raise TrialCancelled from None
                self._look()
            except Exception as error:  # whatever a worker raises that cannot do what it is sent
                raise UserError(
                    f"the workers at {self._scheduler} can't run trials ({type(error).__name__}: {error}); "
                    "they need the same flybisect, in the same Python, as this command"
                ) from error

    def _look(self) -> None:
        """Raises UserError once nothing has been there for so long that nothing will come."""
        with self._lock:
            now = time.monotonic()
            if now - self._looked < LOOK_SECONDS:
                return
            self._looked = now
            connected = self._client.status == "running"
            if connected and self.slots:
                self._well = time.monotonic()
                return
            gone = time.monotonic() - self._well > self._patience
            closed = self._client.status in ("closing", "closed")
        if gone or closed:
            what = "has no worker" if connected else "cannot be reached"
            raise UserError(
                f"the scheduler {self._scheduler} {what} any more; what was answered is kept, so start it "
                "again and give the same command"
            )


class _Noting:
    """A Dask client that keeps which future is whose: joblib's back-end gives out none, and without it
    nothing can be called off."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._futures: dict[str, Any] = {}
        self._over: set[str] = set()
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def submit(self, function: Any, *, tasks: list[Any], **how: Any) -> Any:
        """As the client's; `tasks` holds one call, whose first argument is its number."""
        ((_, (number, *_), _),) = tasks
        with self._lock:
            # Pure calls would share an answer, and one that was cancelled would cancel the other.
            future = self._client.submit(function, tasks=tasks, pure=False, **how)
            if number in self._over:
                self._over.remove(number)
                _cancelled(future)
            else:
                self._futures[number] = future
        return future

    def call_off(self, number: str) -> None:
        """Nobody waits for it any more; it may be over."""
        with self._lock:
            future = self._futures.pop(number, None)
            if future is None:
                # It has not gone out yet.
                self._over.add(number)
            elif not future.done():
                _cancelled(future)


def _cancelled(future: Any) -> None:
    try:
        future.cancel()
    except Exception:  # noqa: BLE001 - each version of Dask has its own for a scheduler that is gone
        # It has called off all that was asked of it, as it does where the one who asked is gone.
        pass


def _hush() -> None:
    """What Dask logs of lost connections is said in one sentence by who waits for them."""
    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _nothing(_result: Any) -> None:
    """Joblib's back-end tells of each result; the future is what is waited for."""
