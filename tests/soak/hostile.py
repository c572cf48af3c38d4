"""Scripts that mean harm, each as a trial: what they reached outside.

    python -m tests.soak.hostile

No file outside is changed, nobody is connected to, no process is left, none hangs, and the worker that ran
them still compiles.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
import tempfile
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from flybisect.observation import Outcome, Probe
from flybisect.probe.confinement import confinement
from flybisect.probe.runner import Runner
from flybisect.toolchain.installed import installed
from flybisect.toolchain.rocm import find_rocm
from tests.probe.processes import named, running
from tests.probe.scripts import COPY
from tests.probe.test_lesser_kernels import lesser_toolchain
from tests.soak.hostile_scripts import SCRIPTS

TIMEOUT = 6.0
"""Seconds that each gets."""
LONGEST = TIMEOUT + 60.0
"""After which it counts as a hang, on a machine with other things to do."""
PLACES = ("/tmp/flybisect-hostile", "~/.flybisect-hostile", "/sys/fs/cgroup/flybisect-hostile")


@dataclass
class Tally:
    """What was seen, for people and for a test."""

    scripts: int = 0
    changed: list[str] = field(default_factory=list)
    connected: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    hung: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    """After which a good script did not compile, or the tool itself failed."""

    @property
    def problems(self) -> list[str]:
        found = []
        for name in ("changed", "connected", "left", "hung", "broken"):
            found += [f"{name}: {script}" for script in getattr(self, name)]
        return found


class Listeners:
    """Somebody who would notice a connection."""

    def __init__(self, folder: Path) -> None:
        self.tcp, self.udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        self.unix = socket.socket(socket.AF_UNIX)
        self.tcp.bind(("127.0.0.1", 0))
        self.udp.bind(("127.0.0.1", 0))
        self.path = str(folder / "socket")
        self.unix.bind(self.path)
        self.tcp.listen()
        self.unix.listen()
        for each in (self.tcp, self.udp, self.unix):
            each.setblocking(False)

    def noticed(self) -> bool:
        return any([_accepts(self.tcp), _accepts(self.unix), _receives(self.udp)])


def _accepts(server: socket.socket) -> bool:
    try:
        server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _receives(server: socket.socket) -> bool:
    try:
        server.recv(1)
    except BlockingIOError:
        return False
    return True


def soak(only: Collection[str] = (), without: Collection[str] = ()) -> Tally:
    """Run them all, or those named; as on a kernel without `namespaces` or `landlock`, where named."""
    tally = Tally()
    # Not below /tmp, which a trial may have of its own.
    home = Path(__file__).parent
    with (
        tempfile.TemporaryDirectory(dir=home, prefix="outside-") as beside,
        tempfile.TemporaryDirectory(prefix="flybisect-soak-") as scratch,
        Runner(Path(scratch), jobs=1) as runner,
    ):
        outside = Path(beside)
        for name in ("file", "folder/more"):
            (outside / name).parent.mkdir(exist_ok=True)
            (outside / name).write_text("kept")
        listeners = Listeners(Path(scratch))
        toolchain = installed(find_rocm(Path(scratch)))
        if without:
            toolchain = lesser_toolchain(toolchain, Path(scratch), *without)
        good = _outcome(runner.run(Probe(COPY, "good.py", "gfx942"), toolchain))
        for number, (name, text) in enumerate(SCRIPTS.items()):
            if only and name not in only:
                continue
            tally.scripts += 1
            mark = f"fb-soak-{number}"
            source = f"{named(mark)}\n" + text.replace("\\\\", "\\").format(
                outside=str(outside),
                tcp=listeners.tcp.getsockname()[1],
                udp=listeners.udp.getsockname()[1],
                unix=listeners.path,
            )
            before = _state(outside)
            began = time.monotonic()
            probe = Probe(source, "hostile.py", "gfx942", timeout=TIMEOUT, memory=2048)
            try:
                seen = runner.run(probe, toolchain)
                told = seen.outcome.value
                if seen.outcome is Outcome.BROKEN:
                    tally.broken.append(f"{name}: {seen.note}")
            except Exception as error:  # noqa: BLE001 - whatever the tool raises is what is looked for
                told = f"{type(error).__name__}: {error}"
                tally.broken.append(f"{name}: {told}")
            took = time.monotonic() - began
            if took > LONGEST:
                tally.hung.append(name)
            if _state(outside) != before:
                tally.changed.append(name)
            if listeners.noticed():
                tally.connected.append(name)
            if running(mark):
                tally.left.append(name)
            if _outcome(runner.run(Probe(COPY, "good.py", "gfx942"), toolchain)) != good:
                tally.broken.append(f"{name}: a good script afterwards")
            print(f"{name}: {told}, {took:.1f} s", flush=True)
    return tally


def _outcome(seen: object) -> tuple[object, ...]:
    return tuple(getattr(seen, name) for name in ("outcome", "kernels", "traced"))


def _state(outside: Path) -> list[tuple[object, ...]]:
    """All that can be changed of what is there."""
    found: list[tuple[object, ...]] = []
    for path in sorted(outside.rglob("*")):
        facts = path.stat()
        content = path.read_bytes() if path.is_file() else b""
        attributes = tuple(os.listxattr(path))
        found.append(
            (path.name, content, facts.st_mode, facts.st_uid, facts.st_mtime, facts.st_nlink, attributes)
        )
    found += [(place,) for place in PLACES if Path(place).expanduser().exists()]
    shared = Path("/proc/sysvipc/shm")
    if shared.exists() and str(0x666C79) in shared.read_text().split():
        found.append(("System V memory",))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scripts", nargs="*", help="Names of those to run; all without any.")
    parser.add_argument("--without", nargs="*", default=(), choices=("namespaces", "landlock"))
    options = parser.parse_args()
    tally = soak(options.scripts, options.without)
    held = confinement()
    print(f"{tally.scripts} hostile scripts; lacking here: {'; '.join(held.lacks) or 'nothing'}")
    for problem in tally.problems:
        print(f"PROBLEM: {problem}")
    sys.exit(bool(tally.problems))


if __name__ == "__main__":
    main()
