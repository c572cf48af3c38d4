"""What a worker process keeps from trial to trial: warm probes, FlyDSLs, shipped folders.

Dask calls a function and gives it no place to keep things, so the one object here is the process's.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Iterable
from pathlib import Path

from flybisect.case.workdir import SESSIONS
from flybisect.cluster import folders
from flybisect.errors import UserError
from flybisect.probe.runner import Runner
from flybisect.toolchain.assemble import toolchain_over
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.rocm import Rocm
from flybisect.toolchain.toolchains import Toolchains

OWN_WAY = ("installed", "release")
"""Kinds of FlyDSL that a worker gets by itself; others are folders, which it must see."""

TRIALS = "flybisect-trials"
"""Of one worker, below its own folder."""

_log = logging.getLogger("flybisect.cluster")
_lock = threading.Lock()
_held: WorkerState | None = None


class WorkerState:
    """Of one worker process. Safe to use from several threads."""

    def __init__(self, scratch: Path, workdir: Path, jobs: int) -> None:
        """`scratch`: this process's own folder; `workdir`: the machine's, for FlyDSLs and folders."""
        self.workdir = workdir
        self.runner = Runner(scratch / TRIALS, jobs, Unkept(), [workdir / SESSIONS])
        workdir.mkdir(parents=True, exist_ok=True)
        self._toolchains = Toolchains(workdir, _log.info)
        self._ours: dict[str, Toolchain] = {}
        self._lock = threading.Lock()

    def toolchain(self, asked: Toolchain) -> Toolchain:
        """The same FlyDSL as it is here. Raises UserError where there is none that is the same."""
        with self._lock:
            if asked.key not in self._ours:
                self._ours[asked.key] = self._same(asked)
            return self._ours[asked.key]

    def folder(self, wanted: str) -> Path | None:
        """Of a shipped folder's key; None where it has not come yet."""
        found = self._folders / wanted
        return found if found.is_dir() else None

    def take(self, packed: bytes) -> None:
        """A folder that was shipped."""
        folders.unpacked_to(self._folders, packed)

    @property
    def rocm(self) -> Rocm:
        """Raises UserError where there is no linker."""
        with self._lock:
            return self._toolchains.rocm()

    @property
    def _folders(self) -> Path:
        return self.workdir / "folders"

    def _same(self, asked: Toolchain) -> Toolchain:
        if asked.kind in OWN_WAY:
            spec = "installed" if asked.kind == "installed" else asked.version
            found = self._toolchains.get(spec)
        else:
            missing = [path for path in asked.paths if not path.is_dir()]
            if missing or not asked.paths:
                raise UserError(
                    f"FlyDSL {asked.spec} lies in {missing[0] if missing else 'no folder'}, which this "
                    "worker does not see; give --workdir on a file system that the workers share"
                )
            found = toolchain_over(
                asked.paths[0],
                spec=asked.spec,
                kind=asked.kind,
                rocm=self._toolchains.rocm(),
                on_path=False,
                exactness=asked.exactness,
            )
        # What a script imports of the repository comes behind the key of the package.
        if not asked.key.startswith(found.key):
            raise UserError(
                f"FlyDSL {asked.version} is not the same here: its files, Python, torch, numpy or the linker "
                "differ from those where the command was given"
            )
        return found


class Unkept:
    """What compiles ended in is remembered while the process lives, and not longer."""

    def kept(self, toolchain_key: str) -> Iterable[tuple[str, bytes]]:
        return ()

    def keep(self, toolchain_key: str, entry: tuple[str, bytes]) -> None:
        return None


def held(scratch: Path, workdir: Path, jobs: int) -> WorkerState:
    """This process's; made where it is not there yet."""
    global _held
    with _lock:
        if _held is None:
            _held = WorkerState(scratch, workdir, jobs)
            atexit.register(_held.runner.close)
        return _held
