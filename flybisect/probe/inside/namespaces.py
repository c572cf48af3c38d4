"""Namespaces of a worker's trials: no network, no other process in sight (namespaces(7)).

They are the worker's own, entered before it imports anything, and every trial is forked into them. Their
process 1 waits for nothing but the order to end all that a trial left behind, which the kernel does at
once and for every process, however it hides; when the worker ends, all of them end with it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import time
from pathlib import Path

from . import kernel

OWN = kernel.NEW_MOUNTS | kernel.NEW_PIDS | kernel.NEW_NETWORK | kernel.NEW_IPC | kernel.NEW_HOST_NAME
PATIENCE = 10.0
"""Seconds after which processes that will not die (stuck in the kernel) are left behind."""

_MARK = b"."


class Namespaces:
    """What `enter` made, from the worker's side."""

    def __init__(self, order: socket.socket, keeper: int) -> None:
        self._order = order
        self._keeper = keeper

    def end_all(self) -> None:
        """No process of the namespaces is left but their first, once the worker has reaped its own child.

        Raises OSError where that first one is gone, and with it the namespaces.
        """
        self._order.sendall(_MARK)
        if self._order.recv(1) != _MARK:
            raise OSError("the first process of the trials' namespaces is gone")

    def close(self) -> None:
        """Give them up: everything in them ends."""
        self._order.close()
        os.kill(self._keeper, signal.SIGKILL)
        os.waitpid(self._keeper, 0)

    def leave_to_child(self) -> None:
        """In a trial right after its fork: it gives no orders."""
        self._order.close()


def enter() -> Namespaces:
    """Have the processes that this one starts from now on in namespaces of their own.

    Raises OSError where that is not allowed; this process is then not to be used further, since a part
    of it may be done.
    """
    try:
        kernel.unshare(OWN)
    except PermissionError:
        _unshare_as_user()
    ours, theirs = socket.socketpair()
    sys.stdout.flush()
    sys.stderr.flush()
    keeper = os.fork()
    if keeper == 0:
        try:
            ours.close()
            _keep(theirs)
        finally:
            os._exit(0)
    theirs.close()
    return Namespaces(ours, keeper)


def _unshare_as_user() -> None:
    """With a user namespace around them, in which everybody is who he was."""
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(kernel.NEW_USER | OWN)
    with contextlib.suppress(OSError):
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")


def _keep(orders: socket.socket) -> None:
    """Process 1: orphans come to it, and are reaped by the kernel since it does not care."""
    if os.getpid() != 1:
        return  # what it ends is all that it can see
    kernel.die_with_parent()
    os.setsid()
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while orders.recv(1):
        _kill_everybody()
        orders.sendall(_MARK)


def _kill_everybody() -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return
        time.sleep(0.001)
