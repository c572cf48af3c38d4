"""Collecting a pytest file in a confined trial, for what its text does not say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.case.limits import FIRST, MEMORY
from flybisect.case.variables import Variables
from flybisect.errors import UserError
from flybisect.observation import Probe, Want
from flybisect.probe.runner import Runner
from flybisect.source.pytest.collected import CollectedTest, collected, program
from flybisect.toolchain.model import Toolchain


@dataclass(frozen=True)
class Collector:
    """Runs pytest's collection under one FlyDSL."""

    toolchain: Callable[[], Toolchain]
    """Asked for only where something is collected."""
    arch: str
    env: Variables = ()

    def __call__(self, file: Path, test: str) -> Sequence[CollectedTest] | None:
        """That test of the file, else all of its sets of parameters; None where that Python has no pytest.

        Raises UserError where pytest collects nothing.
        """
        probe = Probe(
            source=program(str(file.absolute()), test),
            name="flybisect_collects.py",
            arch=self.arch,
            folder=file.absolute().parent,
            wants=frozenset({Want.OUTPUT}),
            timeout=FIRST,
            memory=MEMORY,
            env=self.env,
        )
        with (
            TemporaryDirectory(prefix="flybisect-", ignore_cleanup_errors=True) as scratch,
            Runner(Path(scratch), jobs=1) as runner,
        ):
            seen = runner.run(probe, self.toolchain())
        try:
            return collected(seen.stdout)
        except ValueError as error:
            said = [line for line in (seen.stdout + seen.stderr).splitlines() if line.startswith("E  ")]
            why = said[-1].removeprefix("E").strip() if said else seen.note or seen.outcome.value
            raise UserError(f"{file}: its tests cannot be collected: {why}") from error
