"""What is outside of a trial, and would notice it: who listens, what others have, and what is secret."""

from __future__ import annotations

import ctypes
import fcntl
import os
import pty
import socket
import subprocess
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any

SECRET = "a-word-that-nobody-tells"
ABSTRACT = "flybisect-hostile"
SHARED = Path("/dev/shm/flybisect-hostile")
_LOOK_SECONDS = 0.05
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.shmat.restype = ctypes.c_void_p
_REMOVE = 0
_IOPRIO_GET = {"x86_64": 251 + 1, "aarch64": 31}


class Outside:
    """A folder with all that; a context manager."""

    def __init__(self, folder: Path, hidden: Path) -> None:
        """`folder`: a new one, not below /tmp. `hidden`: a folder of sessions."""
        self.folder = folder
        self.hidden = hidden
        for name in ("file", "folder/more", "lock", "log"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("kept")
        hidden.mkdir(parents=True, exist_ok=True)
        (hidden / "secret").write_text(SECRET)
        self._victim = _victim(folder)
        self._listeners = [
            _bound(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            _bound(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            _bound(socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "stream")),
            _bound(socket.AF_UNIX, socket.SOCK_DGRAM, str(folder / "datagrams")),
            _bound(socket.AF_UNIX, socket.SOCK_DGRAM, "\0" + ABSTRACT),
        ]
        os.mkfifo(folder / "fifo")
        self._fifo = os.open(folder / "fifo", os.O_RDONLY | os.O_NONBLOCK)
        self._master, self._slave = pty.openpty()
        os.set_blocking(self._master, False)
        SHARED.write_text("kept")
        self._segment = _LIBC.shmget(0, 4096, 0o1600)
        self._shared = _LIBC.shmat(self._segment, None, 0)
        self._stopped = False
        self._over = threading.Event()
        self._locking = threading.Thread(target=self._lock_again_and_again)
        self._locking.start()

    def __enter__(self) -> Outside:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._over.set()
        self._locking.join()
        self._victim.kill()
        self._victim.wait()
        for each in self._listeners:
            each.close()
        for handle in (self._fifo, self._master, self._slave):
            os.close(handle)
        SHARED.unlink(missing_ok=True)
        _LIBC.shmctl(self._segment, _REMOVE, None)

    def names(self) -> dict[str, Any]:
        """What is put into the scripts."""
        tcp, udp = (each.getsockname()[1] for each in self._listeners[:2])
        return {
            "outside": str(self.folder),
            "tcp": tcp,
            "udp": udp,
            "unix": str(self.folder / "stream"),
            "dgram": str(self.folder / "datagrams"),
            "abstract": ABSTRACT.encode(),
            "fifo": str(self.folder / "fifo"),
            "lock": str(self.folder / "lock"),
            "hidden": str(self.hidden),
            "terminal": os.ttyname(self._slave),
            "segment": self._segment,
            "victim": self._victim.pid,
        }

    def noticed(self) -> bool:
        """Somebody came, or sent something, since it was last asked."""
        return any([*map(_came, self._listeners), _read(self._fifo) != b"", _read(self._master) != b""])

    def others(self) -> tuple[object, ...]:
        """All that can be changed of the other process, and of what is in memory."""
        pid = self._victim.pid
        shared = SHARED.read_text() if SHARED.exists() else None
        return (
            self._victim.poll(),
            os.getpriority(os.PRIO_PROCESS, pid),
            os.getpriority(os.PRIO_PROCESS, os.getpid()),
            _LIBC.syscall(_IOPRIO_GET[os.uname().machine], 1, pid),
            os.sched_getscheduler(pid),
            os.sched_getaffinity(pid),
            Path(f"/proc/{pid}/oom_score_adj").read_text(),
            shared,
            ctypes.string_at(self._shared, 5),
            str(self._segment) in Path("/proc/sysvipc/shm").read_text().split(),
        )

    def was_stopped(self) -> bool:
        """A lock could not be had since it was last asked."""
        stopped, self._stopped = self._stopped, False
        return stopped

    def _lock_again_and_again(self) -> None:
        """As a session that begins: with each kind of lock, and opened to be written."""
        while not self._over.wait(_LOOK_SECONDS):
            for path in (self.folder / "lock", self.hidden / "secret"):
                try:
                    with path.open("r+") as file:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    self._stopped = True


def _victim(folder: Path) -> subprocess.Popen[bytes]:
    with (folder / "log").open("a") as log:
        environment = {"SECRET": SECRET, "PATH": os.defpath}
        started = subprocess.Popen(["sleep", "36000"], stdout=log, cwd=folder, env=environment)
    time.sleep(0.1)
    return started


def _bound(family: int, kind: int, place: Any) -> socket.socket:
    made = socket.socket(family, kind)
    made.bind(place)
    if kind == socket.SOCK_STREAM:
        made.listen()
    made.setblocking(False)
    return made


def _came(server: socket.socket) -> bool:
    try:
        if server.type == socket.SOCK_STREAM:
            server.accept()[0].close()
        else:
            server.recv(1)
    except BlockingIOError:
        return False
    return True


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 100)
    except OSError:
        return b""
