"""Running more than a script in a trial's confinement: what is written for others is tried before it is
given out, and it runs the studied script."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.observation import Outcome, Probe, Want
from flybisect.probe.runner import Runner
from flybisect.toolchain.model import Toolchain


@dataclass(frozen=True)
class EndedCommand:
    """How a command ended."""

    code: int | None
    """Exit code; minus the signal's number where one ended it; None beyond the time or memory."""
    said: str
    """Standard output, then standard error."""


def run_confined(
    files: Mapping[str, str], command: str, toolchain: Toolchain, arch: str, timeout: float
) -> EndedCommand:
    """Run a shell command in a folder of its own with these files in it, confined as a trial is.

    `python` is the toolchain's interpreter and imports its FlyDSL. `timeout` is in seconds.
    """
    with TemporaryDirectory(prefix="flybisect-", ignore_cleanup_errors=True) as made:
        given = Path(made, "given")
        given.mkdir()
        for name, text in files.items():
            (given / name).parent.mkdir(parents=True, exist_ok=True)
            (given / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        # The trial's own folder alone can be written to. `$@`, the script, is not wanted here.
        text = f': "$@"; cp -R {shlex.quote(str(given))}/. . && {command}'
        probe = Probe(
            source="",
            name="beside.py",
            arch=arch,
            wants=frozenset({Want.OUTPUT}),
            timeout=timeout,
            command=text,
        )
        with Runner(Path(made, "trials"), jobs=1) as runner:
            seen = runner.run_cold(probe, toolchain)
    said = seen.stdout + seen.stderr
    if seen.outcome is Outcome.SIGNAL and seen.signal is not None:
        return EndedCommand(-seen.signal, said)
    if seen.outcome not in (Outcome.OK, Outcome.EXIT):
        return EndedCommand(None, said or seen.note)
    return EndedCommand(seen.exit_code, said)
