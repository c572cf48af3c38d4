"""The child of a worker that runs one script and then ends."""

from __future__ import annotations

import atexit
import faulthandler
import importlib
import os
import sys
import tempfile
import threading
import types
from typing import Any, NoReturn

from . import coverage, gpuless, kernel, landlock, launching, limits, settings
from .compiler import Watch
from .faults import Faults
from .recorder import Recorder


def run(request: dict[str, Any], folder: str, rocm: str | None, record: int, crash: int) -> NoReturn:
    """Never returns: ends the process as the script would have ended it.

    `folder`: the trial's own, empty. `record`, `crash`: open files for facts and for the Python
    stack at a fatal signal.
    """
    recorder = Recorder(record)
    try:
        script = _prepare(request, folder, rocm)
        faulthandler.enable(crash, all_threads=False)
        faults = Faults(recorder, script)
        wants = request["wants"]
        gpuless.install(request["arch"])
        Watch(recorder, faults).install("assembly" in wants)
        launching.install()
        _confine(request, folder, recorder)
    except Exception as error:  # the boundary of a process: say it, do not unwind into the worker
        recorder.fact("broken", text=f"{type(error).__name__}: {error}")
        os._exit(1)
    recorder.stage("start")
    lines = coverage.Coverage(script) if "coverage" in wants else None
    code = _run_script(request, script, faults, lines)
    if lines is not None:
        recorder.fact("lines", lines=lines.lines())
    _finish(code)


def _prepare(request: dict[str, Any], folder: str, rocm: str | None) -> str:
    """The script's file, the environment and `sys` as the script is to find them."""
    held = settings.values(request["arch"], folder, rocm)
    for name in ("HOME", "TMPDIR"):
        os.mkdir(held[name])
    script = os.path.join(folder, request["name"])
    with open(script, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(request["source"])
    os.chdir(folder)
    settings.hold(held)
    tempfile.tempdir = None
    sys.argv[:] = [script, *request["argv"]]
    sys.path.insert(0, request["folder"] or folder)
    for name in ("torch", "flydsl.compiler", "flydsl.expr"):
        importlib.import_module(name)
    return script


def _confine(request: dict[str, Any], folder: str, recorder: Recorder) -> None:
    bound = limits.apply(request["memory"], request["timeout"])
    recorder.fact("confined", address_space=bound, landlock=landlock.confine([folder]))


def _run_script(request: dict[str, Any], script: str, faults: Faults, lines: Any) -> int:
    """The exit code."""
    module = types.ModuleType("__main__")
    module.__file__ = script
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    try:
        with open(script, "rb") as file:
            code = compile(file.read(), script, "exec", dont_inherit=True)
        if lines is not None:
            lines.start()
        exec(code, module.__dict__)
        return 0
    except SystemExit as end:
        return _exit_code(end)
    except BaseException as error:
        sys.settrace(None)
        faults.uncaught(error)
        _show(error, script)
        return 130 if isinstance(error, KeyboardInterrupt) else 1


def _exit_code(end: SystemExit) -> int:
    """As Python itself turns the argument of `sys.exit` into an exit code."""
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code & 0xFF
    print(end.code, file=sys.stderr)
    return 1


def _show(error: BaseException, script: str) -> None:
    """Print the traceback as the interpreter would, without the tool's own frames."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != script:
        trace = trace.tb_next
    try:
        sys.excepthook(type(error), error, trace)
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
