"""What runs on a worker of the cluster: one trial, from bytes to bytes."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from distributed import Worker, get_worker

from flybisect import __version__
from flybisect.cluster import wire
from flybisect.cluster.held import Held, held
from flybisect.errors import UserError
from flybisect.observation import Observation
from flybisect.probe.process import TrialCancelled


def trial(number: str, request: bytes, folder: bytes | None) -> bytes:
    """A packed `wire.Reply` to a packed `wire.Asked`. `number`: of this trial, for whoever sent it.

    `folder`: the packed files beside the script, where this worker said that it lacks them.
    """
    worker = get_worker()
    try:
        reply = _reply(worker, wire.unpack_asked(request), folder)
    except (UserError, OSError) as error:
        reply = wire.Reply(refused=f"the worker {worker.address} can't run trials: {error}")
    except TrialCancelled:
        reply = wire.Reply(refused="called off")
    return wire.pack_reply(reply)


def _reply(worker: Worker, asked: wire.Asked, folder: bytes | None) -> wire.Reply:
    if asked.version != __version__:
        raise UserError(f"it has flybisect {__version__}, and {asked.version} is asking; install that one")
    here = held_by(worker)
    if folder is not None:
        here.take(folder)
    probe = asked.probe
    if asked.folder is not None:
        found = here.folder(asked.folder)
        if found is None:
            return wire.Reply(lacks=asked.folder)
        probe = replace(probe, folder=found)
    return wire.Reply(seen=_seen(worker, here, replace(asked, probe=probe)))


def _seen(worker: Worker, here: Held, asked: wire.Asked) -> Observation:
    toolchain = here.toolchain(asked.toolchain)
    if asked.cold:
        return here.runner.run_cold(asked.probe, toolchain)
    return here.runner.run(asked.probe, toolchain, CalledOff(worker))


def held_by(worker: Worker) -> Held:
    """What this process keeps. FlyDSLs lie beside the workers' own folders (`--local-directory`), so that
    all workers of a machine share them."""
    own = Path(worker.local_directory)
    return held(own, own.parent / "flybisect", worker.state.nthreads)


class CalledOff(threading.Event):
    """Set once the scheduler has told the worker that nobody waits for the running task any more: it was
    cancelled, or the command that sent it is gone."""

    def __init__(self, worker: Worker) -> None:
        super().__init__()
        self._tasks = worker.state.tasks
        self._key = worker.get_current_task()

    def is_set(self) -> bool:
        """Looks at this process's memory only."""
        task = self._tasks.get(self._key)
        return task is None or task.state == "cancelled"
