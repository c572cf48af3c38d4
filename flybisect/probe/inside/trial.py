"""The child of a worker that runs one script and then ends."""

from __future__ import annotations

import atexit
import faulthandler
import importlib
import os
import signal
import sys
import tempfile
import threading
import types
from pathlib import Path
from typing import Any, NoReturn

from . import (
    beside,
    command,
    coverage,
    gpuless,
    kernel,
    launching,
    limits,
    locations,
    missing,
    opened,
    sandbox,
    settings,
    shelf,
    stages,
    tracebacks,
    unset,
)
from .compiler import CompilerHooks
from .faults import Faults
from .known import KnownCompiles
from .recorder import Recorder

WHERE_ARE_YOU = signal.SIGUSR2
"""Makes a trial write its Python stack into its crash file, also from within native code."""


def run(
    request: dict[str, Any],
    folder: str,
    rocm: str | None,
    record: int,
    crash: int,
    box: sandbox.Sandbox,
    entries: shelf.Shelf,
    prepared: bool,
) -> NoReturn:
    """Never returns: ends the process as the script would have ended it.

    `folder`: the trial's own, empty. `record`, `crash`: open files for facts and for the Python
    stack at a fatal signal. `entries`: what compiles are known to end in. `prepared`:
    the worker has imported torch and FlyDSL, and taken the GPU out of torch.
    """
    recorder = Recorder(record)
    try:
        writable = box.shape(folder)
        held = settings.values(request["arch"], folder, rocm)
        script = _prepare(request, folder, held, recorder, prepared)
        faulthandler.enable(crash, all_threads=False)
        faulthandler.register(WHERE_ARE_YOU, crash, all_threads=False)
        faults = Faults(recorder, script)
        wants = request["wants"]
        stage = request["stage"] if "ir" in wants and request["stage"] != stages.ASSEMBLY else None
        known = KnownCompiles(recorder, folder, entries, request["memory"])
        CompilerHooks(recorder, faults, known).install("assembly" in wants, stage)
        launching.install()
        locations.install()
        recorder.fact("confined", **box.lock(writable, request["memory"], request["timeout"]))
        if request["command"] is not None:
            command.replace_process(request["command"], script, request["argv"])
        missing.Missing(recorder).install()
    except Exception as error:  # the boundary of a process: say it, do not unwind into the worker
        recorder.fact("broken", text=f"{type(error).__name__}: {error}")
        os._exit(1)
    recorder.stage("start")
    opened.Opened(recorder, folder, request["folder"], script, _ours(folder, held)).install()
    lines = coverage.Coverage(recorder, script) if "coverage" in wants else None
    _finish(_run_script(script, faults, lines))


def _prepare(
    request: dict[str, Any], folder: str, held: dict[str, str], recorder: Recorder, prepared: bool
) -> str:
    """The script's file, the environment and `sys` as the script is to find them."""
    for name in ("HOME", "TMPDIR"):
        Path(held[name]).mkdir(exist_ok=True)
    script = f"{folder}/{request['name']}"
    Path(script).write_bytes(request["source"].encode("utf-8", "surrogateescape"))
    if request["folder"]:
        beside.bring(request["folder"], folder, _ours(folder, held))
    os.chdir(folder)
    # Held settings go over what the user sets.
    os.environ.update(request["env"])
    settings.hold(held, unset.Unset(recorder, folder, request["folder"]).note)
    tempfile.tempdir = None
    sys.argv[:] = [script, *request["argv"]]
    # First, so that no `torch.py` or `flydsl` beside the script stands in for the toolchain's. FlyDSL last:
    # it takes torch's classes as it finds them.
    if not prepared:
        gpuless.install()
    gpuless.as_arch(request["arch"])
    for name in ("torch", "flydsl.compiler", "flydsl.expr"):
        importlib.import_module(name)
    sys.path.insert(0, request["folder"] or folder)
    return script


def _ours(folder: str, held: dict[str, str]) -> set[str]:
    """Names in the trial's folder that are the tool's."""
    return {value.removeprefix(f"{folder}/") for value in held.values()}


def _run_script(script: str, faults: Faults, lines: coverage.Coverage | None) -> int:
    """The exit code."""
    module = types.ModuleType("__main__")
    module.__file__ = script
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    try:
        code = compile(Path(script).read_bytes(), script, "exec", dont_inherit=True)
        if lines is not None:
            lines.start()
        exec(code, module.__dict__)
        return 0
    except SystemExit as end:
        return _exit_code(end)
    except BaseException as error:  # the script's end, whatever it is
        sys.settrace(None)
        limits.release_spare()
        faults.uncaught(error)
        _show(error)
        return 130 if isinstance(error, KeyboardInterrupt) else 1


def _exit_code(end: SystemExit) -> int:
    """As Python itself turns the argument of `sys.exit` into an exit code."""
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code & 0xFF
    print(end.code, file=sys.stderr)
    return 1


def _show(error: BaseException) -> None:
    """Print the traceback as the interpreter would, without the tool's own frames."""
    for link in tracebacks.chain(error):
        link.__traceback__ = tracebacks.without_own(link.__traceback__)
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except Exception as second:  # a hook that the script or FlyDSL put there
        print(f"sys.excepthook failed: {second!r}", file=sys.stderr)


def _finish(code: int) -> NoReturn:
    """What an interpreter does at its end; not its destructors, which would be the worker's."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def detach(control: int) -> None:
    """Right after the fork: a session of its own, gone with the worker, without the worker's socket."""
    os.setsid()
    kernel.die_with_parent()
    os.close(control)
