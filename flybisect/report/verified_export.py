"""Runs an exported test under the FlyDSL that shows the bug: it has to fail, and for that reason."""

from __future__ import annotations

import importlib.util
import shlex
from importlib.resources import files as resources

from flybisect.errors import UserError
from flybisect.probe.outside import EndedCommand, run_confined
from flybisect.report.fingerprints import ends_by, marks
from flybisect.report.regression import pass_of, pipeline
from flybisect.toolchain.model import Toolchain
from flybisect.workflows.findings import Findings

TIMEOUT = 1300.0
"""Seconds for a whole test."""


def try_pytest(text: str, found: Findings, toolchain: Toolchain) -> None:
    """Raises UserError when it cannot be run, does not fail, or fails for another reason."""
    if importlib.util.find_spec("pytest") is None:
        raise UserError(
            "pytest is not installed, so the test could not be run; run `pip install pytest`, then try again"
        )
    words = "python -m pytest -q -p no:cacheprovider --rootdir . test_exported.py"
    ended = _run({"test_exported.py": text}, words, found, toolchain)
    code, output = ended.code, ended.said
    if code == 0:
        raise UserError("the exported test passes although the bug is there, so it does not test the bug")
    if code != 1 or "1 failed" not in output:
        raise UserError(f"pytest could not run the exported test (exit code {code}): {_last(output)}")
    _same(output, found, "the exported test")


def try_lit(text: str, found: Findings, toolchain: Toolchain) -> None:
    """The same for an `.mlir` file: its IR has to parse, and the pass has to fail as it does in the script.

    FlyDSL's wheels have no fly-opt; its Python bindings run the same pass.
    """
    program = resources("flybisect.report").joinpath("templates/fly_opt.py.txt").read_text(encoding="utf-8")
    files = {"fly_opt.py": program, "bug.mlir": text}
    read = _run(files, "python fly_opt.py bug.mlir", found, toolchain)
    if read.code != 0:
        raise UserError(f"the exported IR cannot be read back: {_last(read.said)}")
    one_pass = shlex.quote(pipeline(pass_of(found)))
    ended = _run(files, f"python fly_opt.py bug.mlir {one_pass}", found, toolchain)
    code, output = ended.code, ended.said
    if code == 0:
        raise UserError(f"{pass_of(found)} alone succeeds, so the exported file does not test the bug")
    if code is None or code > 0 or ends_by(found.script.observation) is None:
        _same(output, found, pass_of(found))


def _same(output: str, found: Findings, what: str) -> None:
    for mark in marks(found.script.observation):
        if mark not in output:
            raise UserError(f"{what} fails, but not with {mark!r}: {_last(output)}")


def _run(files: dict[str, str], command: str, found: Findings, toolchain: Toolchain) -> EndedCommand:
    """Confined as a trial is, since the test holds the studied script."""
    ended = run_confined(files, command, toolchain, found.arch, TIMEOUT)
    if ended.code is None:
        raise UserError(f"the exported test did not finish within {TIMEOUT:.0f} s, or ran out of memory")
    return ended


def _last(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no output"
