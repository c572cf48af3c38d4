"""Collecting a pytest file in a confined trial, for what its text does not say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.case.case import Case
from flybisect.case.variables import Variables
from flybisect.errors import UserError
from flybisect.judge.trials import Setting, probe_of
from flybisect.observation import Want
from flybisect.probe.runner import Runner
from flybisect.source.pytest.collected import Item, collected, program
from flybisect.toolchain.model import Toolchain


@dataclass(frozen=True)
class Collector:
    """Runs pytest's collection under one FlyDSL."""

    toolchain: Callable[[], Toolchain]
    """Asked for only where something is collected."""
    arch: str
    env: Variables = ()

    def __call__(self, file: Path, test: str) -> Sequence[Item] | None:
        """That test of the file, else all of its sets of parameters; None where that Python has no pytest.

        Raises UserError where pytest collects nothing.
        """
        toolchain = self.toolchain()
        case = Case(file.absolute().parent / "flybisect_collects.py", env=self.env)
        source = program(str(file.absolute()), test)
        probe = probe_of(case, source, Setting(toolchain, (), self.arch), {Want.OUTPUT})
        with (
            TemporaryDirectory(prefix="flybisect-", ignore_cleanup_errors=True) as scratch,
            Runner(Path(scratch), jobs=1) as runner,
        ):
            seen = runner.run(probe, toolchain)
        try:
            return collected(seen.stdout)
        except ValueError as error:
            said = [line for line in (seen.stdout + seen.stderr).splitlines() if line.startswith("E  ")]
            why = said[-1].removeprefix("E").strip() if said else seen.note or seen.outcome.value
            raise UserError(f"{file}: its tests cannot be collected: {why}") from error
