"""Collecting a pytest file in a confined trial, for what its text does not say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.case.case import Case
from flybisect.case.variables import Variables
from flybisect.errors import UserError
from flybisect.judge.trials import Setting, probe_of
from flybisect.observation import Want
from flybisect.probe.runner import Runner
from flybisect.source.pytest.collected import CollectedTest, collected, program


def collect_tests(file: Path, test: str, setting: Setting, env: Variables) -> Sequence[CollectedTest] | None:
    """That test of the file, else all of its sets of parameters; None where that Python has no pytest.

    Raises UserError where pytest collects nothing.
    """
    case = Case(file.absolute().parent / "flybisect_collects.py", env=env)
    probe = probe_of(case, program(str(file.absolute()), test), setting, {Want.OUTPUT})
    with (
        TemporaryDirectory(prefix="flybisect-", ignore_cleanup_errors=True) as scratch,
        Runner(Path(scratch), jobs=1) as runner,
    ):
        seen = runner.run(probe, setting.toolchain)
    try:
        return collected(seen.stdout)
    except ValueError as error:
        lines = [line for line in (seen.stdout + seen.stderr).splitlines() if line.startswith("E  ")]
        why = lines[-1].removeprefix("E").strip() if lines else seen.note or seen.outcome.value
        raise UserError(f"{file}: its tests cannot be collected: {why}") from error
