"""The pool: workers that die, that cannot start, that are called off; many trials at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from flybisect.observation import Observation, Outcome, Probe, Stage
from flybisect.probe.runner import Runner, TrialCancelled
from flybisect.toolchain.model import Toolchain
from tests.probe.conftest import Run
from tests.probe.processes import named, running, workers
from tests.probe.scripts import COPY, LEGALIZATION, kernel


def _probe(source: str, timeout: float = 60.0) -> Probe:
    return Probe(source=source, name="script.py", arch="gfx942", timeout=timeout)


def _facts(seen: Observation) -> Observation:
    """Without what a clock says."""
    return replace(seen, seconds=0.0, cpu_seconds=0.0, under_way=None, peak_mib=0)


def _gone(name: str) -> bool:
    for _ in range(200):
        if not running(name):
            return True
        time.sleep(0.05)
    return False


def test_a_worker_that_died_is_replaced(toolchain: Toolchain, tmp_path: Path) -> None:
    others = set(workers())
    with Runner(tmp_path, jobs=1) as runner:
        runner.run(_probe("x = 1\n"), toolchain)
        (worker,) = set(workers()) - others
        os.kill(worker, signal.SIGKILL)
        assert runner.run(_probe(COPY), toolchain).outcome is Outcome.OK
    assert list(tmp_path.iterdir()) == []


def test_cold_shows_the_same(runner: Runner, toolchain: Toolchain) -> None:
    warm = runner.run(_probe(LEGALIZATION), toolchain)
    cold = runner.run_cold(_probe(LEGALIZATION), toolchain)
    assert _facts(cold) == _facts(warm)
    assert cold.flydsl


def test_a_toolchain_that_cannot_be_imported_is_broken(toolchain: Toolchain, tmp_path: Path) -> None:
    package = tmp_path / "site" / "flydsl"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('libFly.so: no such file\\nmore')\n")
    broken = replace(toolchain, key="broken", paths=(tmp_path / "site",))
    with Runner(tmp_path / "scratch", jobs=1) as runner:
        seen = runner.run(_probe(COPY), broken)
    assert (seen.outcome, seen.stage) == (Outcome.BROKEN, Stage.START)
    assert seen.note == "ImportError: libFly.so: no such file"


def test_an_interpreter_that_is_missing_is_broken(toolchain: Toolchain, tmp_path: Path) -> None:
    missing = replace(toolchain, python=tmp_path / "python")
    with Runner(tmp_path / "scratch", jobs=1) as runner:
        seen = runner.run(_probe(COPY), missing)
    assert seen.outcome is Outcome.BROKEN
    assert "No such file" in seen.note


def test_a_missing_linker_is_not_the_scripts_fault(toolchain: Toolchain, tmp_path: Path) -> None:
    without = replace(toolchain, key="without", rocm=tmp_path / "rocm")
    with Runner(tmp_path / "scratch", jobs=1) as runner:
        seen = runner.run(_probe(COPY), without)
    assert seen.outcome is Outcome.BROKEN
    assert "ld.lld" in seen.note


def test_bad_inline_assembly_is_the_scripts_fault(run: Run) -> None:
    seen = run(
        kernel(
            """
            from flydsl._mlir.dialects import llvm
            llvm.inline_asm(None, [], "no_such_instruction", "", has_side_effects=True)
            out[fx.thread_idx.x] = fx.Float32(A[fx.thread_idx.x])
            """
        )
    )
    assert seen.outcome in (Outcome.EXCEPTION, Outcome.EXIT), seen.stderr
    assert seen.stage is Stage.CODEGEN
    assert seen.diagnostics[0].text.startswith("invalid instruction")


def test_a_trial_is_called_off(toolchain: Toolchain, tmp_path: Path) -> None:
    stop = threading.Event()
    with Runner(tmp_path, jobs=1) as runner:
        assert runner.run(_probe("pass"), toolchain).outcome is Outcome.OK
        threading.Timer(0.5, stop.set).start()
        started = time.monotonic()
        with pytest.raises(TrialCancelled):
            runner.run(_probe("import time\ntime.sleep(600)\n"), toolchain, stop)
        assert time.monotonic() - started < 10
        assert runner.run(_probe(COPY), toolchain).outcome is Outcome.OK


def test_a_worker_that_was_not_ready_in_time_is_used_later(toolchain: Toolchain, tmp_path: Path) -> None:
    """Else a search that keeps calling trials off would keep on starting workers."""
    stop = threading.Event()
    stop.set()
    with Runner(tmp_path, jobs=1) as runner:
        for _ in range(3):
            with pytest.raises(TrialCancelled):
                runner.run(_probe(COPY), toolchain, stop)
        assert runner.run(_probe(COPY), toolchain).outcome is Outcome.OK
        assert len(list(tmp_path.glob("*/worker-*.log"))) == 1


def test_a_worker_that_is_not_ready_is_closed_at_once(toolchain: Toolchain, tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with Runner(tmp_path, jobs=1) as runner:
        with pytest.raises(TrialCancelled):
            runner.run(_probe(COPY), toolchain, stop)
        began = time.monotonic()
    assert time.monotonic() - began < 2


def test_many_at_once_do_not_mix(runner: Runner, toolchain: Toolchain) -> None:
    sources = [COPY, LEGALIZATION, "raise ValueError('mine')\n"] * 3
    alone = [_facts(runner.run(_probe(s), toolchain)) for s in sources[:3]]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda s: _facts(runner.run(_probe(s), toolchain)), sources))
    assert together == alone * 3


def test_nothing_outlives_the_tool(toolchain: Toolchain, tmp_path: Path) -> None:
    """The tool is killed while a trial runs."""
    tool = f"""
        import sys
        from pathlib import Path
        from flybisect.observation import Probe
        from flybisect.probe.runner import Runner
        from flybisect.toolchain.model import Toolchain
        chain = Toolchain("x", "installed", "x", "x", Path({str(toolchain.python)!r}), {toolchain.paths!r})
        source = {named("fb-outlives")!r} + "\\nimport os, time\\nos.fork()\\ntime.sleep(600)\\n"
        Runner(Path({str(tmp_path / "scratch")!r}), 1).run(Probe(source, "s.py", "gfx942"), chain)
        """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(tool).replace("PosixPath", "Path")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    try:
        for _ in range(1200):
            if len(running("fb-outlives")) == 2:
                break
            assert process.poll() is None
            time.sleep(0.05)
        assert len(running("fb-outlives")) == 2
    finally:
        process.kill()
        process.wait()
    assert _gone("fb-outlives")


def test_a_module_beside_the_script_is_found(run: Run, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("VALUE = 7\n")
    seen = run("import beside\nimport sys\nsys.exit(beside.VALUE)\n", folder=tmp_path)
    assert seen.exit_code == 7


def test_modules_beside_the_script_do_not_stand_in_for_the_toolchains(
    runner: Runner, toolchain: Toolchain, tmp_path: Path
) -> None:
    for name in ("torch", "flydsl", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('not this one')\n")
    probe = replace(_probe(COPY), folder=tmp_path)
    assert runner.run(probe, toolchain).outcome is Outcome.OK
    assert runner.run_cold(probe, toolchain).outcome is Outcome.OK


def test_the_tools_own_modules_are_not_in_the_way(run: Run) -> None:
    seen = run("import sys\ntry:\n    import runner\nexcept ImportError:\n    sys.exit(7)\n")
    assert seen.exit_code == 7


def test_text_that_is_no_utf8(run: Run) -> None:
    seen = run("# coding: latin-1\nimport sys\nsys.exit(ord('\udce9') == 0xE9 and 7 or 1)\n")
    assert seen.exit_code == 7, seen.stderr
