"""Running an exported test under the FlyDSL that shows the bug: it has to fail, and for that reason."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from flybisect.errors import UserError
from flybisect.findings.model import Findings
from flybisect.report.marks import ends_by, marks
from flybisect.report.regression import pass_of, pipeline
from flybisect.toolchain.model import Toolchain

TIMEOUT = 1300.0
"""Seconds for a whole test."""


def try_pytest(text: str, found: Findings, toolchain: Toolchain) -> None:
    """Raises UserError where it can't be run, does not fail, or fails for another reason."""
    if importlib.util.find_spec("pytest") is None:
        raise UserError(
            "pytest is not installed here, so the test was not run; `pip install pytest` and again"
        )
    with TemporaryDirectory(prefix="flybisect-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "test_exported.py"
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder, str(path)]
        code, said = _run(words, Path(folder), toolchain)
    if code == 0:
        raise UserError("the exported test passes, although the bug is there: it is no test of it")
    if code != 1 or "1 failed" not in said:
        raise UserError(f"pytest could not run the exported test (exit code {code}): {_last(said)}")
    _same(said, found, "the exported test")


def try_lit(text: str, found: Findings, toolchain: Toolchain) -> None:
    """The same of an `.mlir` file. Its IR has to be read, and the pass has to fail as it does in the script.

    FlyDSL's wheels have no fly-opt; its Python bindings run the same pass.
    """
    program = files("flybisect.report").joinpath("templates/fly_opt.py.txt").read_text(encoding="utf-8")
    with TemporaryDirectory(prefix="flybisect-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        (folder / "fly_opt.py").write_text(program, encoding="utf-8")
        (folder / "bug.mlir").write_text(text, encoding="utf-8", errors="surrogateescape")
        code, said = _run(["fly_opt.py", "bug.mlir"], folder, toolchain)
        if code != 0:
            raise UserError(f"the exported IR cannot be read back: {_last(said)}")
        code, said = _run(["fly_opt.py", "bug.mlir", pipeline(pass_of(found))], folder, toolchain)
    if code == 0:
        raise UserError(f"{pass_of(found)} alone gets through, so the exported file is no test of the bug")
    if code > 0 or ends_by(found.script.observation) is None:
        _same(said, found, pass_of(found))


def _same(said: str, found: Findings, what: str) -> None:
    for mark in marks(found.script.observation):
        if mark not in said:
            raise UserError(f"{what} fails, but not with {mark!r}: {_last(said)}")


def _run(words: list[str], folder: Path, toolchain: Toolchain) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, toolchain.paths))}
    if toolchain.rocm is not None:
        environment["ROCM_PATH"] = str(toolchain.rocm)
    try:
        done = subprocess.run(
            [str(toolchain.python), *words],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(f"the exported test was not done after {TIMEOUT:.0f} s") from error
    return done.returncode, done.stdout + done.stderr


def _last(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no word"
