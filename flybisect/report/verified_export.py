"""Running an exported test under the FlyDSL that shows the bug: it has to fail, and for that reason."""

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
    """Raises UserError where it can't be run, does not fail, or fails for another reason."""
    if importlib.util.find_spec("pytest") is None:
        raise UserError(
            "pytest is not installed here, so the test was not run; `pip install pytest` and again"
        )
    words = "python -m pytest -q -p no:cacheprovider --rootdir . test_exported.py"
    ended = _run({"test_exported.py": text}, words, found, toolchain)
    code, said = ended.code, ended.said
    if code == 0:
        raise UserError("the exported test passes, although the bug is there: it is no test of it")
    if code != 1 or "1 failed" not in said:
        raise UserError(f"pytest could not run the exported test (exit code {code}): {_last(said)}")
    _same(said, found, "the exported test")


def try_lit(text: str, found: Findings, toolchain: Toolchain) -> None:
    """The same of an `.mlir` file. Its IR has to be read, and the pass has to fail as it does in the script.

    FlyDSL's wheels have no fly-opt; its Python bindings run the same pass.
    """
    program = resources("flybisect.report").joinpath("templates/fly_opt.py.txt").read_text(encoding="utf-8")
    files = {"fly_opt.py": program, "bug.mlir": text}
    read = _run(files, "python fly_opt.py bug.mlir", found, toolchain)
    if read.code != 0:
        raise UserError(f"the exported IR cannot be read back: {_last(read.said)}")
    one_pass = shlex.quote(pipeline(pass_of(found)))
    ended = _run(files, f"python fly_opt.py bug.mlir {one_pass}", found, toolchain)
    code, said = ended.code, ended.said
    if code == 0:
        raise UserError(f"{pass_of(found)} alone gets through, so the exported file is no test of the bug")
    if code is None or code > 0 or ends_by(found.script.observation) is None:
        _same(said, found, pass_of(found))


def _same(said: str, found: Findings, what: str) -> None:
    for mark in marks(found.script.observation):
        if mark not in said:
            raise UserError(f"{what} fails, but not with {mark!r}: {_last(said)}")


def _run(files: dict[str, str], command: str, found: Findings, toolchain: Toolchain) -> EndedCommand:
    """Confined as a trial is, since the test holds the studied script."""
    ended = run_confined(files, command, toolchain, found.arch, TIMEOUT)
    if ended.code is None:
        raise UserError(f"the exported test was not done after {TIMEOUT:.0f} s, or took too much memory")
    return ended


def _last(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no word"
