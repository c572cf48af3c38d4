"""What runs on a worker of the cluster: a trial, or the build of a commit; from bytes to bytes."""

from __future__ import annotations

import os
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgpack
from distributed import Worker, get_worker

from flybisect import __version__
from flybisect.cluster import wire
from flybisect.cluster.worker_state import WorkerState, held
from flybisect.errors import UserError
from flybisect.observation import Observation
from flybisect.probe.process import TrialCancelled
from flybisect.probe.smoke import smoke_test
from flybisect.toolchain.failure import BuildFailed
from flybisect.toolchain.processes import Stopped
from flybisect.toolchain.source import SourceBuilder
from flybisect.toolchain.store import built_once

SHARED = "flybisect-shared"
"""Of all workers of a machine. Dask puts the folders around it on `sys.path`, where one with the package's
own name would be taken for it."""
LONGEST_LOG = 1 << 20
"""Characters of a failed build's log that are sent back: its end."""


def trial(request: bytes, folder: bytes | None) -> bytes:
    """A packed `wire.TrialReply` to a packed `wire.TrialRequest`.

    `folder`: the packed files beside the script, where this worker said that it lacks them.
    """
    worker = get_worker()
    try:
        reply = _reply(worker, wire.unpack_request(request), folder)
    except (UserError, OSError) as error:
        reply = wire.TrialReply(refused=f"the worker {worker.address} can't run trials: {error}")
    except TrialCancelled:
        reply = wire.TrialReply(refused="called off")
    return wire.pack_reply(reply)


def build(request: bytes) -> bytes:
    """Builds a commit in the build cache of this machine, and copies what it gave into the working folder of
    whoever asks; see `flybisect.cluster.builder`."""
    worker = get_worker()
    failed, refused, log = None, None, ""
    try:
        _build(worker, msgpack.unpackb(request))
    except BuildFailed as failure:
        failed = f"{failure.reason} (on {worker.address})"
        log = failure.log.read_text("utf-8", "replace")[-LONGEST_LOG:] if failure.log.is_file() else ""
    except (UserError, OSError) as error:
        refused = f"the worker {worker.address} can't build: {error}"
    except Stopped:
        refused = "called off"
    packed: bytes = msgpack.packb({"failed": failed, "refused": refused, "log": log})
    return packed


def _build(worker: Worker, asked: dict[str, Any]) -> None:
    if asked["version"] != __version__:
        raise UserError(f"it has flybisect {__version__}, and {asked['version']} is asking; install that one")
    here = held_by(worker)
    repo, workdir = Path(asked["repo"]), Path(asked["workdir"])
    mlir = None if asked["mlir"] is None else Path(asked["mlir"])
    for path in (repo, workdir, *([] if mlir is None else [mlir])):
        if not path.is_dir():
            raise UserError(f"it does not see {path}; that has to be on a file system that the workers share")
    builder = SourceBuilder(
        repo=repo,
        workdir=here.workdir,
        mlir_path=mlir,
        jobs=len(os.sched_getaffinity(0)),
        timeout=asked["timeout"],
        rocm=here.rocm,
        smoke=smoke_test(here.runner),
        build_type=asked["build_type"],
        stop=CalledOff(worker),
    )
    (site,) = builder.build(asked["commit"]).paths
    natives = (site / "flydsl" / "_mlir").resolve().parent.parent
    place = workdir / "toolchains" / natives.name
    place.parent.mkdir(parents=True, exist_ok=True)
    built_once(place, lambda made: _copied(natives, made))


def _copied(natives: Path, made: Path) -> None:
    shutil.copytree(natives, made, symlinks=True, dirs_exist_ok=True)


def _reply(worker: Worker, asked: wire.TrialRequest, folder: bytes | None) -> wire.TrialReply:
    if asked.version != __version__:
        raise UserError(f"it has flybisect {__version__}, and {asked.version} is asking; install that one")
    here = held_by(worker)
    if folder is not None:
        here.take(folder)
    probe = asked.probe
    if asked.folder is not None:
        found = here.folder(asked.folder)
        if found is None:
            return wire.TrialReply(lacks=asked.folder)
        probe = replace(probe, folder=found)
    return wire.TrialReply(seen=_seen(worker, here, replace(asked, probe=probe)))


def _seen(worker: Worker, here: WorkerState, asked: wire.TrialRequest) -> Observation:
    toolchain = here.toolchain(asked.toolchain)
    if asked.cold:
        return here.runner.run_cold(asked.probe, toolchain)
    return here.runner.run(asked.probe, toolchain, CalledOff(worker))


def held_by(worker: Worker) -> WorkerState:
    """What this process keeps. FlyDSLs lie beside the workers' own folders (`--local-directory`), so that
    all workers of a machine share them."""
    own = Path(worker.local_directory)
    return held(own, own.parent / SHARED, worker.state.nthreads)


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
