"""Scripts that mean harm, each as a trial: what they reached outside.

    python -m tests.soak.hostile

No file outside is changed, nobody is connected to, nothing of a session is read, no other process is touched,
no process is left, none hangs, none has more memory than it may, and the worker that ran them still compiles.
"""

from __future__ import annotations

import argparse
import os
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
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.rocm import find_rocm
from tests.probe.processes import named, running
from tests.probe.scripts import COPY
from tests.probe.test_lesser_kernels import lesser_toolchain
from tests.soak.hostile_outside import SECRET, Outside
from tests.soak.hostile_scripts import SCRIPTS
from tests.soak.hostile_ways import HELD, HOG_MEMORY, HOGS, WAYS

TIMEOUT = 6.0
"""Seconds that each gets."""
LONGEST = TIMEOUT + 60.0
"""After which it counts as a hang, on a machine with other things to do."""
EVERYTHING = 2
"""Means that can be left out. Without them, seccomp is alone, and `NEVER_OPEN` would do what it says."""
NEVER_OPEN = ("kills everybody", "kills its parents", "sysctl", "sysrq", "a signal by a pipe", "home")
PLACES = ("/tmp/flybisect-hostile", "~/.flybisect-hostile", "/sys/fs/cgroup/flybisect-hostile")


@dataclass
class Tally:
    """What was seen, for people and for a test."""

    scripts: int = 0
    changed: list[str] = field(default_factory=list)
    connected: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    """Other processes, and what they have."""
    told: list[str] = field(default_factory=list)
    """What was not to be read."""
    held: list[str] = field(default_factory=list)
    """More memory than it may."""
    left: list[str] = field(default_factory=list)
    hung: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    """After which a good script did not compile, or the tool itself failed."""

    @property
    def problems(self) -> list[str]:
        found = []
        for name in ("changed", "connected", "touched", "told", "held", "left", "hung", "broken"):
            found += [f"{name}: {script}" for script in getattr(self, name)]
        return found


def soak(only: Collection[str] = (), without: Collection[str] = ()) -> Tally:
    """Run them all, or those named; as on a kernel without `namespaces` or `landlock`, where named."""
    tally = Tally()
    # Not below /tmp, which a trial may have of its own.
    home = Path(__file__).parent
    with (
        tempfile.TemporaryDirectory(dir=home, prefix="outside-") as beside,
        tempfile.TemporaryDirectory(dir=home, prefix="workdir-") as workdir,
        tempfile.TemporaryDirectory(prefix="flybisect-soak-") as scratch,
        Runner(Path(scratch), jobs=1, hidden=[Path(workdir, "sessions")]) as runner,
    ):
        Path(workdir, "sessions").mkdir()
        toolchain = installed(find_rocm(Path(scratch)))
        if without:
            toolchain = lesser_toolchain(toolchain, Path(scratch), *without)
        good = _outcome(runner.run(Probe(COPY, "good.py", "gfx942"), toolchain))
        for number, (name, text) in enumerate((SCRIPTS | WAYS | HOGS).items()):
            if (only and name not in only) or (len(without) == EVERYTHING and name in NEVER_OPEN):
                continue
            tally.scripts += 1
            with Outside(Path(beside, str(number)), Path(workdir, "sessions")) as outside:
                source = f"{named(f'fb-soak-{number}')}\n" + text.replace("\\\\", "\\").format(
                    **outside.names()
                )
                memory = HOG_MEMORY if name in HOGS else 2048
                probe = Probe(source, "hostile.py", "gfx942", timeout=TIMEOUT, memory=memory)
                _try(name, probe, toolchain, runner, outside, tally)
            if running(f"fb-soak-{number}"):
                tally.left.append(name)
            if _outcome(runner.run(Probe(COPY, "good.py", "gfx942"), toolchain)) != good:
                tally.broken.append(f"{name}: a good script afterwards")
    return tally


def _try(
    name: str, probe: Probe, toolchain: Toolchain, runner: Runner, outside: Outside, tally: Tally
) -> None:
    before, others = _state(outside.folder), outside.others()
    began = time.monotonic()
    try:
        seen = runner.run(probe, toolchain)
        told = f"{seen.outcome.value} {seen.exception.type if seen.exception else ''}"
        if seen.outcome is Outcome.BROKEN:
            tally.broken.append(f"{name}: {seen.note}")
        if SECRET in seen.to_json():
            tally.told.append(name)
        if HELD in seen.stderr:
            tally.held.append(name)
    except Exception as error:  # noqa: BLE001 - whatever the tool raises is what is looked for
        told = f"{type(error).__name__}: {error}"
        tally.broken.append(f"{name}: {told}")
    took = time.monotonic() - began
    if took > LONGEST:
        tally.hung.append(name)
    if _state(outside.folder) != before:
        tally.changed.append(name)
    if outside.noticed():
        tally.connected.append(name)
    if outside.others() != others or outside.was_stopped():
        tally.touched.append(name)
    print(f"{name}: {told}, {took:.1f} s", flush=True)


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
